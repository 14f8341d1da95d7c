/* The log of a rank's last sends: match/send_log.hpp.
 *
 * The sender writes an entry for each send, of KEPT that it uses again and again; a reader, at any time, looks for the
 * entry of any send: one that is not written yet, is being written, or was overwritten.
 *
 * Checked: what the reader takes for the entry of a send is that send's, whole.
 *
 * Memory model: sequential consistency. The releases and acquires that keep the stores and loads in this order are in
 * docs/memory_model.md; the mutations change the order. (The code compares 20 bits of the count: a send that is 2^20 older
 * is not told apart. Here counts do not repeat.)
 *
 * models: src/match/send_log.hpp: send_log::add, find, write
 * must hold:
 * must hold: -DKEPT=1
 * must fail: -DMUTATE_NOT_CLEARED     the count of the send before stands while the fields are written
 * must fail: -DMUTATE_COUNT_FIRST     the count is stored before the fields
 * must fail: -DMUTATE_ONE_LOOK        the reader does not look at the count again
 */

#ifndef KEPT
#define KEPT 2
#endif
#define SENDS 5

byte count[KEPT];
byte operation[KEPT];  /* of which send they are */
byte line[KEPT];

proctype sender() {
  byte n = 1;
  do
  :: n <= SENDS ->
#ifndef MUTATE_NOT_CLEARED
    count[n % KEPT] = 0;
#endif
#ifdef MUTATE_COUNT_FIRST
    count[n % KEPT] = n;
#endif
    operation[n % KEPT] = n;
    line[n % KEPT] = n;
    count[n % KEPT] = n;
    n++
  :: else -> break
  od
}

proctype reader() {
  byte n, before, found_operation, found_line;
  bool is_whole;

  select (n : 1 .. SENDS);
  before = count[n % KEPT];
  found_operation = operation[n % KEPT];
  found_line = line[n % KEPT];
#ifndef MUTATE_ONE_LOOK
  is_whole = (count[n % KEPT] == before);
#else
  is_whole = true;
#endif
  if
  :: is_whole && before == n -> assert(found_operation == n && found_line == n)
  :: else
  fi
}

init { atomic { run sender(); run reader() } }
