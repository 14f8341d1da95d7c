// A first-in first-out list of nodes that carry their own `next` pointer: no allocation, removal from the middle while
// walking. Not thread-safe: each list belongs to one rank.
#pragma once

namespace pure::core {

template <class Node>
class intrusive_fifo {
 public:
  [[nodiscard]] bool empty() const noexcept { return first_ == nullptr; }
  [[nodiscard]] Node* front() const noexcept { return first_; }

  void push(Node& node) noexcept {
    node.next = nullptr;
    if (first_ == nullptr) {
      first_ = &node;
    } else {
      last_->next = &node;
    }
    last_ = &node;
  }

  /// Takes out `node`, whose predecessor is `before` (null: it is the first).
  void remove_after(Node* before, Node& node) noexcept {
    (before == nullptr ? first_ : before->next) = node.next;
    if (last_ == &node) last_ = before;
  }

  void pop_front() noexcept { remove_after(nullptr, *first_); }

  /// Takes out `node` wherever it is; false if it is not in the list.
  bool remove(const Node& node) noexcept {
    Node* before = nullptr;
    for (Node* at = first_; at != nullptr; before = at, at = at->next) {
      if (at == &node) {
        remove_after(before, *at);
        return true;
      }
    }
    return false;
  }

 private:
  Node* first_ = nullptr;
  Node* last_ = nullptr;
};

}  // namespace pure::core
