// A first-in first-out list of nodes that carry their own `next` and `before` pointers: no allocation, and any node is
// taken out at once. Not thread-safe: each list belongs to one rank.
#pragma once

namespace pure::core {

template <class Node>
class intrusive_fifo {
 public:
  [[nodiscard]] bool empty() const noexcept { return first_ == nullptr; }
  [[nodiscard]] Node* front() const noexcept { return first_; }

  void push(Node& node) noexcept {
    node.next = nullptr;
    node.before = last_;
    (last_ == nullptr ? first_ : last_->next) = &node;
    last_ = &node;
  }

  /// Takes out `node`, which is in the list.
  void remove(const Node& node) noexcept {
    (node.before == nullptr ? first_ : node.before->next) = node.next;
    (node.next == nullptr ? last_ : node.next->before) = node.before;
  }

  void pop_front() noexcept { remove(*first_); }

 private:
  Node* first_ = nullptr;
  Node* last_ = nullptr;
};

}  // namespace pure::core
