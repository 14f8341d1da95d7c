// Users, groups, hosts and the like for each rank: libc's answers, in memory of the rank, and a place in the lists that
// no other rank moves.
#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdio>
#include <string>
#include <tuple>
#include <vector>

#include "support/loaded_rank.hpp"

namespace databases_test {

using namespace pure::core;
using test_support::as_rank;
using test_support::new_rank;

template <class Function>
Function* replaced(std::string_view name) {
  return test_support::replaced<Function>(database_replacements(), name);
}

std::string shown(char* const* texts) {
  std::string all;
  for (; texts != nullptr && *texts != nullptr; ++texts) all.append(" ").append(*texts);
  return all;
}

std::string shown(const passwd* one) {
  if (one == nullptr) return "none";
  return std::string(one->pw_name) + ":" + one->pw_passwd + ":" + std::to_string(one->pw_uid) + ":" +
         std::to_string(one->pw_gid) + ":" + one->pw_gecos + ":" + one->pw_dir + ":" + one->pw_shell;
}

std::string shown(const ::group* one) {
  if (one == nullptr) return "none";
  return std::string(one->gr_name) + ":" + one->gr_passwd + ":" + std::to_string(one->gr_gid) + shown(one->gr_mem);
}

std::string shown(const spwd* one) {
  return one == nullptr ? "none"
                        : std::string(one->sp_namp) + ":" + one->sp_pwdp + ":" + std::to_string(one->sp_lstchg);
}

std::string shown(const sgrp* one) {
  return one == nullptr ? "none" : std::string(one->sg_namp) + ":" + one->sg_passwd + shown(one->sg_mem);
}

std::string shown(const servent* one) {
  if (one == nullptr) return "none";
  return std::string(one->s_name) + ":" + std::to_string(one->s_port) + "/" + one->s_proto + shown(one->s_aliases);
}

std::string shown(const protoent* one) {
  return one == nullptr ? "none" : one->p_name + (":" + std::to_string(one->p_proto)) + shown(one->p_aliases);
}

std::string shown(const rpcent* one) {
  return one == nullptr ? "none" : one->r_name + (":" + std::to_string(one->r_number)) + shown(one->r_aliases);
}

std::string shown(const netent* one) {
  return one == nullptr ? "none" : one->n_name + (":" + std::to_string(one->n_net)) + shown(one->n_aliases);
}

std::string shown(const hostent* one) {
  if (one == nullptr) return "none " + std::to_string(h_errno);
  std::string text = one->h_name + (":" + std::to_string(one->h_addrtype)) + shown(one->h_aliases);
  for (char* const* address = one->h_addr_list; *address != nullptr; ++address)
    text += " " + std::string(*address, static_cast<std::size_t>(one->h_length));
  return text;
}

std::string shown(const mntent* one) {
  if (one == nullptr) return "none";
  return std::string(one->mnt_fsname) + " " + one->mnt_dir + " " + one->mnt_type + " " + one->mnt_opts + " " +
         std::to_string(one->mnt_freq) + " " + std::to_string(one->mnt_passno);
}

/// What a rank finds is what libc finds, and still is when another rank has looked for something else.
template <class Record, class... Keys>
void expect_own(const char* name, Record* (*libc)(Keys...), const std::type_identity_t<std::tuple<Keys...>>& keys,
                const std::type_identity_t<std::tuple<Keys...>>& others) {
  const auto ours = replaced<Record*(Keys...)>(name);
  const std::string expected = shown(std::apply(libc, keys));
  const std::string other_expected = shown(std::apply(libc, others));
  h_errno = 0;
  const as_rank here(new_rank());
  Record* const found = std::apply(ours, keys);
  EXPECT_EQ(shown(found), expected) << name;
  const as_rank there(new_rank());
  h_errno = 0;
  EXPECT_EQ(shown(std::apply(ours, others)), other_expected) << name;
  if (found != nullptr) {
    EXPECT_EQ(shown(found), expected) << name;
  }
}

TEST(rank_databases, have_results_of_the_rank) {
  const in_addr_t one = htonl(0x7f000001);
  expect_own("getpwnam", getpwnam, {"root"}, {"nobody"});
  expect_own("getpwnam", getpwnam, {"daemon"}, {"no such user"});
  expect_own("getpwuid", getpwuid, {0U}, {65534U});
  expect_own("getgrnam", getgrnam, {"root"}, {"tty"});
  expect_own("getgrgid", getgrgid, {0U}, {1U});
  expect_own("getspnam", getspnam, {"root"}, {"nobody"});
  expect_own("getsgnam", getsgnam, {"root"}, {"tty"});
  expect_own("sgetspent", sgetspent, {"a:b:1:2:3:4:5:6:7"}, {"c:d:7:::::8:"});
  expect_own("sgetsgent", sgetsgent, {"a:b:c,d:e"}, {"f:g::"});
  expect_own("getservbyname", getservbyname, {"http", "tcp"}, {"domain", nullptr});
  expect_own("getservbyport", getservbyport, {static_cast<int>(htons(80)), "tcp"},
             {static_cast<int>(htons(22)), nullptr});
  expect_own("getprotobyname", getprotobyname, {"tcp"}, {"udp"});
  expect_own("getprotobynumber", getprotobynumber, {6}, {17});
  expect_own("getrpcbyname", getrpcbyname, {"portmapper"}, {"nfs"});
  expect_own("getrpcbynumber", getrpcbynumber, {100000}, {100003});
  expect_own("gethostbyname", gethostbyname, {"127.0.0.1"}, {"localhost"});
  expect_own("gethostbyname2", gethostbyname2, {"127.0.0.1", AF_INET}, {"::1", AF_INET6});
  expect_own("gethostbyaddr", gethostbyaddr, {&one, 4U, AF_INET}, {&one, 3U, AF_INET});
  expect_own("getnetbyname", getnetbyname, {"loopback"}, {"127"});
  expect_own("getnetbyaddr", getnetbyaddr, {127U, AF_INET}, {169U << 8, AF_INET});
}

/// Two ranks in turn, one of which begins again in between, see what libc sees.
template <class Record>
void expect_lists(const char* next, Record* (*libc_next)(), const char* begin, const char* end, void (*libc_end)()) {
  std::vector<std::string> expected;
  while (const Record* const one = libc_next()) expected.push_back(shown(one));
  libc_end();
  const auto ours = replaced<Record*()>(next);
  hidden_state& first = new_rank();
  hidden_state& second = new_rank();
  std::vector<std::string> seen[2];
  for (std::size_t i = 0; i <= expected.size(); ++i) {
    const as_rank here(first);
    if (const Record* const one = ours()) seen[0].push_back(shown(one));
    const as_rank there(second);
    if (i == 1) {
      seen[1].clear();
      replaced<void(int)>(begin)(1);  // those of users take none
    }
    if (const Record* const one = ours()) seen[1].push_back(shown(one));
  }
  const as_rank here(second);
  if (const Record* const one = ours()) seen[1].push_back(shown(one));
  EXPECT_EQ(ours(), nullptr);
  EXPECT_EQ(seen[0], expected) << next;
  EXPECT_EQ(seen[1], expected) << next;
  replaced<void()>(end)();
  Record* const again = ours();
  EXPECT_EQ(again == nullptr ? "" : shown(again), expected.empty() ? "" : expected[0]) << next;
  replaced<void()>(end)();
  if (again != nullptr) {
    EXPECT_EQ(shown(again), expected[0]);  // until the next call
  }
}

TEST(rank_databases, are_gone_through_by_each_rank) {
  expect_lists("getpwent", getpwent, "setpwent", "endpwent", endpwent);
  expect_lists("getgrent", getgrent, "setgrent", "endgrent", endgrent);
  expect_lists("getspent", getspent, "setspent", "endspent", endspent);
  expect_lists("getsgent", getsgent, "setsgent", "endsgent", endsgent);
  expect_lists("gethostent", gethostent, "sethostent", "endhostent", endhostent);
  expect_lists("getnetent", getnetent, "setnetent", "endnetent", endnetent);
  expect_lists("getprotoent", getprotoent, "setprotoent", "endprotoent", endprotoent);
  expect_lists("getservent", getservent, "setservent", "endservent", endservent);
  expect_lists("getrpcent", getrpcent, "setrpcent", "endrpcent", endrpcent);
}

/// A file with that text, from its beginning.
FILE* file_with(const std::string& text) {
  FILE* const file = std::tmpfile();
  std::fputs(text.c_str(), file);
  std::rewind(file);
  return file;
}

template <class Record>
void expect_file(const char* name, Record* (*libc)(FILE*), const std::string& text) {
  FILE* const file = file_with(text);
  FILE* const same = file_with(text);
  const auto ours = replaced<Record*(FILE*)>(name);
  const as_rank here(new_rank());
  for (;;) {
    const Record* const one = ours(same);
    ASSERT_EQ(shown(one), shown(libc(file))) << name;
    if (one == nullptr) break;
    const as_rank there(new_rank());
    FILE* const other = file_with(text);
    ours(other);
    std::fclose(other);
  }
  std::fclose(file);
  std::fclose(same);
}

TEST(rank_databases, are_read_from_files) {
  const std::string longer(3000, 'x');
  expect_file("fgetpwent", fgetpwent, "a:b:1:2:c:d:e\n# no\nf:g:3:4:" + longer + ":h:i\nj:k:5:6:l:m:n\n");
  expect_file("fgetgrent", fgetgrent, "a:b:1:c,d\n" + longer + ":e:2:f\ng:h:3:\n");
  expect_file("fgetspent", fgetspent, "a:b:1::::::\n" + longer + ":e:2::::::\n");
  expect_file("fgetsgent", fgetsgent, "a:b:c:d\n" + longer + ":e:f,g:h\n");
  expect_file("getmntent", getmntent,
              "# no\n/dev/a /b c d 1 2\n\n" + longer + " /e f g\n/h\\040i /j k l 3\n" + longer + longer + " m\n");
}

TEST(rank_databases, are_hash_tables_of_the_rank) {
  const auto create = replaced<int(std::size_t)>("hcreate");
  const auto search = replaced<ENTRY*(ENTRY, ACTION)>("hsearch");
  const auto destroy = replaced<void()>("hdestroy");
  hidden_state& one = new_rank();
  hidden_state& other = new_rank();
  char key[] = "key";
  char value[] = "value";
  char other_value[] = "other";
  {
    const as_rank here(one);
    ASSERT_NE(create(10), 0);
    ASSERT_NE(search({key, value}, ENTER), nullptr);
  }
  const as_rank here(other);
  ASSERT_NE(create(10), 0);
  EXPECT_EQ(search({key, nullptr}, FIND), nullptr);
  EXPECT_EQ(errno, ESRCH);
  ASSERT_NE(search({key, other_value}, ENTER), nullptr);
  destroy();
  const as_rank there(one);
  ASSERT_NE(search({key, nullptr}, FIND), nullptr);
  EXPECT_EQ(search({key, nullptr}, FIND)->data, value);
  destroy();
}

}  // namespace databases_test
