#include "coll/spanning_signatures.hpp"

#include <string_view>

#include "match/message_checks.hpp"
#include "match/short_path.hpp"

namespace pure::core {

namespace {

std::string_view text_or_none(const char* text) noexcept { return text == nullptr ? "" : text; }

void* room_in(void* container, std::size_t bytes) {
  auto& all = *static_cast<std::string*>(container);
  all.resize(bytes);
  return all.data();
}

}  // namespace

spanning_signatures::arriving::arriving(std::uint32_t context, int from_number, int tag) noexcept
    : sink{.container = &bytes, .make_room = room_in, .takes = nullptr, .adopt = nullptr},
      op({nullptr, 0, &sink}, context, from_number, tag) {
  op.compares_calls = true;
}

spanning_signatures::spanning_signatures(collective_member& on, const call& by, const collective_arguments& what)
    : compared_calls(on, what),
      over_(on.over()),
      engine_(on.comm().engine()),
      context_(on.between().context()),
      tag_(on.between().tag_of(sequence_, 0)),
      inside_(on.here(), by, what) {}

spanning_signatures::~spanning_signatures() {
  for (arriving& each : receives_) {
    if (!each.op.done && !engine_.is_closed()) engine_.receiver().withdraw(each.op);
  }
}

bool spanning_signatures::poll() {
  if (!has_started_) {
    if (!enter_between()) return false;
    has_started_ = true;
    for (int part = 0; part < over_.parts(); ++part) {
      if (part == over_.own_part()) continue;
      receives_from_.push_back(part);
      engine_.receiver().start(receives_.emplace_back(context_, on_.comm().number_of(over_.leader_of(part)), tag_).op);
    }
  }
  if (!is_known_inside_) {
    if (!exchange_inside()) return false;
    is_known_inside_ = true;
    if (over_.leads()) start_sends();
  }
  if (!test_messages()) return false;
  put_together();
  return finish();
}

bool spanning_signatures::exchange_inside() {
  if (inside_.poll()) return true;
  const int q = over_.own_members()[static_cast<std::size_t>(inside_.waits_for())];
  waits_between(q);
  if (inside_.waits_for_call()) waits_for_call_of(q);
  return false;
}

void spanning_signatures::start_sends() {
  for (const signature& each : inside_.all()) {
    const pure_call_site site = spelled_out({each.where, each.line});
    own_part_.add(text_or_none(each.operation)).add(text_or_none(site.file)).add(site.line);
    own_part_.add(each.reduction).add(each.bytes).add(each.root).add(each.type).add(each.kind);
  }
  for (int q = 0; q < size(); ++q) {
    if (over_.part_of(q) == over_.own_part()) continue;
    sends_to_.push_back(q);
    send_op& op = sends_.emplace_back();
    op.data = own_part_.bytes().data();
    op.bytes = own_part_.bytes().size();
    op.who = {context_, rank(), tag_};
    op.to = on_.comm().number_of(q);
    if (message_checks* const checks = engine_.checks(); checks != nullptr) op.number = checks->number_of_comparison();
    engine_.sender().start(op);
  }
}

bool spanning_signatures::test_messages() {
  for (; received_ < receives_.size(); ++received_) {
    if (engine_.receiver().test(receives_[received_].op)) continue;
    waits_between(over_.leader_of(receives_from_[received_]));
    return false;
  }
  for (; sent_ < sends_.size(); ++sent_) {
    if (engine_.sender().test(sends_[sent_])) continue;
    waits_between(sends_to_[sent_]);
    return false;
  }
  return true;
}

void spanning_signatures::put_together() {
  all_.resize(static_cast<std::size_t>(size()));
  for (std::size_t i = 0; i < over_.own_members().size(); ++i) {
    all_[static_cast<std::size_t>(over_.own_members()[i])] = inside_.all()[i];
  }
  for (std::size_t i = 0; i < receives_.size(); ++i) {
    read(static_cast<std::size_t>(receives_from_[i]), receives_[i].bytes);
  }
  find_conflict();
}

void spanning_signatures::read(std::size_t part, std::string_view from) {
  byte_unpacker said(from);
  for (const int q : over_.members()[part]) {
    signature& of = all_[static_cast<std::size_t>(q)];
    of.operation = texts_.keep(said.text());
    of.where = texts_.keep(said.text());
    of.line = said.number<unsigned>();
    of.reduction = said.number<std::uint64_t>();
    of.bytes = said.number<std::uint64_t>();
    of.root = said.number<std::int32_t>();
    of.type = said.number<std::uint32_t>();
    of.kind = said.number<collective>();
  }
}

std::unique_ptr<compared_calls> compare_calls(collective_member& on, const call& by, const collective_arguments& what) {
  if (on.is_spanning()) return std::make_unique<spanning_signatures>(on, by, what);
  return std::make_unique<signature_exchange>(on, by, what);
}

}  // namespace pure::core
