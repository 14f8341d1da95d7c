#!/usr/bin/env python3
"""What cxx_text.py finds in each form of comment, function and loop that the sources have."""
import unittest

from cxx_text import bare, classes, comment_blocks, functions, loops, without_comments

CLASS = """// a comment { with a brace
namespace pure::core {
namespace {
constexpr int most = 4;
int helper(int a) { return a; }
}  // namespace
template <class T, template <class> class Atomic = std::atomic, std::size_t N = 4>
class alignas(pair_bytes) ring final : public base<T> {
 public:
  explicit ring(int size) : size_{size}, all_(std::make_unique<T[]>(size)) { fill('{', "}"); }
  ~ring() { stop(); }
  ring& operator=(const ring&) = delete;
  T& operator[](int i) noexcept { return all_[i]; }
  bool operator==(const ring& other) const { return size_ == other.size_; }
  [[nodiscard]] bool is_full(std::function<void()> then = {}) const noexcept(true) { return size_ == 1'000; }
  struct inner {
    void reset() { n = 0; }
    int n{0};
  };

 private:
  std::atomic<int> size_{0};
  std::vector<int> some_ = {1, 2};
};
#define MACRO(x) { x
enum class color : int { red, green };
auto found = [](int x) { return x; };
std::unique_ptr<int> ring<int>::pop() const try {
  return call([&] { return 1; });
} catch (...) {
  return nullptr;
}
void ring<int>::push(const std::vector<int>& all)
    requires std::integral<T> {
  for (int i : all) put(i);
}
extern "C" {
int pure_init(void) { return 0; }
}
}  // namespace pure::core
"""
NAMES = ["helper", "ring::ring", "ring::~ring", "ring::operator[]", "ring::operator==", "ring::is_full",
         "ring::inner::reset", "ring::pop", "ring::push", "pure_init"]

LOOPS = """while (a.load() > f(0)) {
  g();
}
do h(); while (b);
do {
  for (int i = 0; i < n; ++i) x[i] = 0;
} while (c(1));
for (;;) pause();
for (const auto& each : all)
  if (each) { y(); }
"""


class CxxText(unittest.TestCase):
    def test_functions(self):
        self.assertEqual([each.name for each in functions(bare(CLASS))], NAMES)

    def test_the_text_of_a_function_is_from_its_type_to_its_last_brace(self):
        found = {each.name: CLASS[each.begin:each.end + 1] for each in functions(bare(CLASS))}
        self.assertEqual(found["helper"], "int helper(int a) { return a; }")
        self.assertTrue(found["ring::ring"].startswith("explicit ring(int size) : size_{size}"), found["ring::ring"])
        self.assertTrue(found["ring::ring"].endswith('fill(\'{\', "}"); }'))
        self.assertTrue(found["ring::push"].startswith("void ring<int>::push"), found["ring::push"])

    def test_loops(self):
        found = [(each.kind, each.condition, " ".join(each.body.split())) for each in loops(bare(LOOPS))]
        self.assertEqual(found, [("while", "a.load() > f(0)", "g();"), ("do", "b", "h();"),
                                 ("do", "c(1)", "for (int i = 0; i < n; ++i) x[i] = 0;"), ("for", "i < n", "x[i] = 0;"),
                                 ("for", "", "pause();"), ("for", "const auto& each : all", "if (each) { y(); }")])

    def test_comments(self):
        text = 'a;  // one\n// and on\n\n/* two\n */ f("// no", R"(// no)");\n// three\nb;  // four\n'
        self.assertEqual(list(comment_blocks(text)), [(1, "// one\n// and on"), (4, "/* two\n */\n// three"),
                                                      (7, "// four")])
        self.assertEqual(without_comments("a /* b */ \"// c\" // d"), "a         \"// c\"     ")

    def test_nothing_moves(self):
        for text in (CLASS, LOOPS):
            self.assertEqual(len(bare(text)), len(text))
            self.assertEqual(len(without_comments(text)), len(text))


if __name__ == "__main__":
    unittest.main()
