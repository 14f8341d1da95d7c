/* The packed copy of src/transport/rendezvous.{hpp,cpp} through src/transport/packed_pieces.hpp and cells.hpp: one sender,
 * one receiver, MESSAGES messages one after the other through the same rendezvous, the same buffer and the same CELLS
 * cells, each of 1 to PIECES pieces. The sender packs when it happens to look, pieces from the front, each into a cell
 * that it has; the receiver unpacks what is packed, may write to the cell, and gives it back or keeps it; what it keeps
 * comes back with messages of its own, or does not. Where nothing is packed, it may copy a piece from the back, or wait
 * a little longer.
 *
 * Checked:
 *   copies     every piece is copied to the target exactly once, and all are there when the buffer is given back;
 *   cells      the receiver reads the piece that it means, whole; the sender writes to no cell that is still read;
 *   words      the word of a piece names its cell, and no older one is taken for it;
 *   buffer     it is read only while it holds this message: the sender refills it as soon as it has seen `taken`;
 *   the end    both ends come to it (no invalid end state), also if the sender never looks.
 *
 * Memory model: what is written before a release, or read after an acquire, is part of that step; where it is not, that
 * is a mutation. The bytes of a piece are read in one step and written in two, between which they are torn. Claims are
 * relaxed: nothing is concluded from them but whose a piece is. Which end has a cell is explored with the code itself
 * (tests/unit/transport/cells_test.cpp). The receiver parks while the sender packs; that nothing is lost between the
 * last look and the sleep is park.pml's.
 *
 * models: src/transport/packed_pieces.hpp: clear, count, publish, is_packed, cell_of, lap_of
 * models: src/transport/rendezvous.hpp: claim, help, help_and_test, finished
 * models: src/transport/rendezvous.cpp: take_packed, unpack, pack, give_back
 * must hold: -DMESSAGES=2 -DPIECES=4 -DCELLS=2
 * must hold: -DMESSAGES=3 -DPIECES=3 -DCELLS=2
 * must hold: -DMESSAGES=2 -DPIECES=5 -DCELLS=2
 * must fail: -DMUTATE_ANY_CELL            the sender packs into cells that it has not
 * must fail: -DMUTATE_CLAIM_BEFORE_ROOM   the sender claims a piece before it knows that there is a cell for it
 * must fail: -DMUTATE_PUBLISH_EARLY       a piece counts as packed before its bytes are there
 * must fail: -DMUTATE_BACK_EARLY          the receiver gives a cell back before it has read it
 * must fail: -DMUTATE_TAKE_LATE        the receiver writes to the lines of a cell that it has given back
 * must fail: -DMUTATE_SAME_END            the receiver copies from the front, too
 * must fail: -DMUTATE_LEAVE_WHEN_CLAIMED  the receiver gives the buffer back when the claims have run out
 * must fail: -DMUTATE_NO_NOTIFY           the sender does not wake the receiver
 * must fail: -DMUTATE_NO_LAP              a word says only which cell
 * must fail: -DMUTATE_NO_CLEAR            the words of the message before stay
 * must fail: -DMUTATE_CLEAR_LATE          the receiver sees them before they are cleared
 */

#ifndef MESSAGES
#define MESSAGES 2
#endif
#ifndef PIECES
#define PIECES 4
#endif
#ifndef CELLS
#define CELLS 2
#endif

#define OFFERED 0                  /* states */
#define PACKING 1
#define TAKEN 2

#define TORN 255
#define THE(piece) (message * PIECES + (piece))
#ifdef MUTATE_NO_LAP
#define LAP(piece) 1
#else
#define LAP(piece) ((piece) / CELLS + 1)
#endif

#define SENDERS 0                  /* who has a cell */
#define RECEIVERS 1
#define RETURNED 2
#define ON_ITS_WAY 3

byte record;                       /* messages that the ring has brought */
byte state = TAKEN;
byte claimed;
byte word_lap[CELLS], word_cell[CELLS];
byte cell[CELLS];                  /* the piece in each */
byte had_by[CELLS];
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

/* A cell that it has, or that has come back; CELLS if there is none. Which one does not matter: all are alike. */
inline choose_cell() {
  atomic {
    c = 0;
    do
    :: c < CELLS ->
#ifdef MUTATE_ANY_CELL
      if
      :: break
      :: c < CELLS - 1 -> c++
      fi
#else
      if
      :: had_by[c] == SENDERS || had_by[c] == RETURNED -> break
      :: else -> c++
      fi
#endif
    :: else -> break
    od
  }
}

inline pack() {
  do
  :: true ->
#ifdef MUTATE_CLAIM_BEFORE_ROOM
    claim(is_mine);
    if
    :: is_mine
    :: else -> break
    fi;
#endif
    choose_cell();
    if
    :: c == CELLS -> break
    :: else
    fi;
#ifndef MUTATE_CLAIM_BEFORE_ROOM
    claim(is_mine);
    if
    :: is_mine
    :: else -> break
    fi;
#endif
    had_by[c] = ON_ITS_WAY;
#ifdef MUTATE_PUBLISH_EARLY
    atomic { word_lap[packed % CELLS] = LAP(packed); word_cell[packed % CELLS] = c; packed++ }
    cell[c] = TORN;
    cell[c] = THE(packed - 1);
#else
    cell[c] = TORN;
    atomic { assert(buffer == message); cell[c] = THE(packed) };
    atomic { word_lap[packed % CELLS] = LAP(packed); word_cell[packed % CELLS] = c; packed++ }
#endif
    has_packed = true
  od;
  if
  :: has_packed -> atomic { has_packed = false; notify() }
  :: else
  fi;
  is_mine = false
}

inline clear() {
  atomic {
    c = 0;
    do
    :: c < CELLS -> word_lap[c] = 0; c++
    :: else -> c = 0; break
    od;
    packed = 0
  }
}

#define HAS_ROOM (had_by[0] == SENDERS || had_by[0] == RETURNED || had_by[1] == SENDERS || had_by[1] == RETURNED)

proctype sender() {
  byte message, packed, c;
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
#ifdef MUTATE_NO_CLEAR
    packed = 0;
#endif
#ifdef MUTATE_CLEAR_LATE
    atomic { buffer = message; state = OFFERED; record = message }
    clear();
#else
#ifndef MUTATE_NO_CLEAR
    clear();
#endif
    atomic { buffer = message; state = OFFERED; record = message }
#endif
    do  /* it may look as often as there is something to see, or not at all */
    :: state == PACKING && claimed < pieces && HAS_ROOM -> pack()
    :: atomic { state == TAKEN -> break }
    od;
    buffer = TORN
  :: else -> break
  od
}

/* ---- the receiver ---- */

#define IS_PACKED (word_lap[done % CELLS] == LAP(done))

inline give_up_cell() {
  if
  :: had_by[i] = RECEIVERS
  :: had_by[i] = RETURNED
  fi
}

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
      i = word_cell[done % CELLS];
#ifdef MUTATE_BACK_EARLY
      give_up_cell();
#endif
      atomic { assert(cell[i] == THE(done)); copies[done]++ }
      done++;
#ifndef MUTATE_BACK_EARLY
#ifndef MUTATE_TAKE_LATE
      if  /* PURE_TAKE_LINES */
      :: cell[i] = TORN
      :: true
      fi;
#endif
      give_up_cell();
#ifdef MUTATE_TAKE_LATE
      cell[i] = TORN;
#endif
#endif
      i = 0
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
    atomic {  /* a message of its own, in cells that it has kept, or none */
      i = 0;
      do
      :: i < CELLS ->
        if
        :: had_by[i] == RECEIVERS -> had_by[i] = SENDERS
        :: true
        fi;
        i++
      :: else -> i = 0; break
      od
    }
  :: else -> break
  od
}

init { atomic { run sender(); run receiver() } }
