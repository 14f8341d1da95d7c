/* The packed copy of src/transport/rendezvous.{hpp,cpp} through src/transport/packed_pieces.hpp: one sender, one
 * receiver, MESSAGES messages one after the other through the same rendezvous, the same buffer and the same SLOTS slots,
 * each of 1 to PIECES pieces. The sender packs when it happens to look, pieces from the front; the receiver unpacks what
 * is packed, and may write to the slot before it gives it back; where nothing is packed, it may copy a piece from the
 * back, or wait a little longer.
 *
 * Checked:
 *   copies     every piece is copied to the target exactly once, and all are there when the buffer is given back;
 *   slots      the receiver reads the piece that it means, whole; the sender writes to no slot that is still read;
 *   buffer     it is read only while it holds this message: the sender refills it as soon as it has seen `taken`;
 *   the end    both ends come to it (no invalid end state), also if the sender never looks.
 *
 * Memory model: what is written before a release, or read after an acquire, is part of that step; where it is not, that
 * is a mutation. The bytes of a piece are read in one step and written in two, between which they are torn. Claims are
 * relaxed: nothing is concluded from them but whose a piece is. The receiver parks while the sender packs; that nothing
 * is lost between the last look and the sleep is park.pml's.
 *
 * models: src/transport/packed_pieces.hpp: clear, count, room, publish, piece, take_lines, has_unpacked, slot
 * models: src/transport/rendezvous.hpp: claim, help, help_and_test, finished
 * models: src/transport/rendezvous.cpp: take_packed, pack, give_back
 * must hold: -DMESSAGES=2 -DPIECES=4 -DSLOTS=2
 * must hold: -DMESSAGES=3 -DPIECES=3 -DSLOTS=2
 * must hold: -DMESSAGES=2 -DPIECES=5 -DSLOTS=3
 * must fail: -DMUTATE_NO_ROOM_CHECK       the sender packs into slots that are still needed
 * must fail: -DMUTATE_CLAIM_BEFORE_ROOM   the sender claims a piece before it knows that there is a slot for it
 * must fail: -DMUTATE_PUBLISH_EARLY       a piece counts as packed before its bytes are there
 * must fail: -DMUTATE_UNPACKED_EARLY      the receiver gives a slot back before it has read it
 * must fail: -DMUTATE_TAKE_LATE        the receiver writes to the lines of a slot that it has given back
 * must fail: -DMUTATE_SAME_END            the receiver copies from the front, too
 * must fail: -DMUTATE_LEAVE_WHEN_CLAIMED  the receiver gives the buffer back when the claims have run out
 * must fail: -DMUTATE_NO_NOTIFY           the sender does not wake the receiver
 * must fail: -DMUTATE_NO_CLEAR            the slots are used again with the counts of the message before
 * must fail: -DMUTATE_CLEAR_LATE          the receiver sees them before they are empty
 */

#ifndef MESSAGES
#define MESSAGES 2
#endif
#ifndef PIECES
#define PIECES 4
#endif
#ifndef SLOTS
#define SLOTS 2
#endif

#define OFFERED 0                  /* states */
#define PACKING 1
#define TAKEN 2

#define TORN 255
#define THE(piece) (message * PIECES + (piece))

byte record;                       /* messages that the ring has brought */
byte state = TAKEN;
byte claimed;
bool has_slots;                    /* packed_ is not null */
byte packed, unpacked;
byte slot[SLOTS];
bool receiver_sleeps;

byte pieces;                       /* of the present message */
byte buffer;                       /* the message that it holds */
byte copies[PIECES];               /* ghost: how often each piece is in the target */

inline claim(is_mine) {
  atomic {
    is_mine = claimed < pieces;
    if
    :: is_mine -> claimed++
    :: else
    fi
  }
}

/* ---- the sender ---- */

inline notify() {
#ifndef MUTATE_NO_NOTIFY
  receiver_sleeps = false;
#endif
  skip
}

inline clear() { packed = 0; unpacked = 0; known_unpacked = 0 }

inline pack() {
  if
  :: has_slots
  :: else ->
#ifdef MUTATE_CLEAR_LATE
    has_slots = true;
#endif
#ifndef MUTATE_NO_CLEAR
    atomic { clear() }
#endif
    has_slots = true
  fi;
  do
  :: true ->
#ifdef MUTATE_CLAIM_BEFORE_ROOM
    claim(is_mine);
    if
    :: is_mine
    :: else -> break
    fi;
#endif
#ifndef MUTATE_NO_ROOM_CHECK
    if
    :: packed - known_unpacked == SLOTS -> known_unpacked = unpacked
    :: else
    fi;
    if
    :: packed - known_unpacked == SLOTS -> break
    :: else
    fi;
#endif
#ifndef MUTATE_CLAIM_BEFORE_ROOM
    claim(is_mine);
    if
    :: is_mine
    :: else -> break
    fi;
#endif
#ifdef MUTATE_PUBLISH_EARLY
    packed++;
    slot[(packed - 1) % SLOTS] = TORN;
    slot[(packed - 1) % SLOTS] = THE(packed - 1);
#else
    slot[packed % SLOTS] = TORN;
    atomic { assert(buffer == message); slot[packed % SLOTS] = THE(packed) };
    packed++;
#endif
    has_packed = true
  od;
  if
  :: has_packed -> atomic { has_packed = false; notify() }
  :: else
  fi;
  is_mine = false
}

proctype sender() {
  byte message, known_unpacked;
  bool is_mine, has_packed;

  do
  :: message < MESSAGES ->
    atomic {
      message++;
      pieces = 1;
      do
      :: pieces < PIECES -> pieces++
      :: true -> break
      od
    }
    atomic { buffer = message; state = OFFERED; record = message }
    do  /* it may look as often as there is something to see, or not at all */
    :: state == PACKING && claimed < pieces && (!has_slots || packed - unpacked < SLOTS) -> pack()
    :: atomic { state == TAKEN -> has_slots = false; break }
    od;
    buffer = TORN
  :: else -> break
  od
}

/* ---- the receiver ---- */

#define IS_PACKED (has_slots && packed > done)

proctype receiver() {
  byte message, done, copied, i;
  bool is_mine;

  do
  :: message < MESSAGES ->
    atomic { record == message + 1 -> message++; done = 0; copied = 0 }
    atomic { claimed = 0; state = PACKING }
    do
    :: done + copied == pieces -> break
    :: done + copied < pieces && IS_PACKED ->
#ifdef MUTATE_UNPACKED_EARLY
      unpacked = done + 1;
#endif
      atomic { assert(slot[done % SLOTS] == THE(done)); copies[done]++ }
      done++;
#ifndef MUTATE_UNPACKED_EARLY
#ifndef MUTATE_TAKE_LATE
      if  /* PURE_TAKE_LINES */
      :: slot[(done - 1) % SLOTS] = TORN
      :: true
      fi;
#endif
      unpacked = done;
#ifdef MUTATE_TAKE_LATE
      slot[(done - 1) % SLOTS] = TORN;
#endif
#endif
    :: done + copied < pieces && !IS_PACKED ->
      claim(is_mine);
      if
      :: is_mine ->
        atomic {
          assert(buffer == message);
#ifdef MUTATE_SAME_END
          copies[copied]++;
#else
          copies[pieces - 1 - copied]++;
#endif
          copied++
        }
      :: else ->
#ifdef MUTATE_LEAVE_WHEN_CLAIMED
        break
#else
        atomic {
          if
          :: IS_PACKED
          :: else -> receiver_sleeps = true
          fi
        }
        !receiver_sleeps
#endif
      fi
    od;
    atomic {
      i = 0;
      do
      :: i < PIECES ->
        assert(copies[i] == (i < pieces -> 1 : 0));
        copies[i] = 0;
        i++
      :: else -> i = 0; break
      od;
      is_mine = false;
      state = TAKEN
    }
  :: else -> break
  od
}

init { atomic { run sender(); run receiver() } }
