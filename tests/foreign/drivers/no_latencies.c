/* HPC Challenge without what it measures of latencies: that has no results to compare. */
void main_bench_lat_bw(void* params) { (void)params; }
