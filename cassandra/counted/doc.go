// Package counted keeps partitions that count their rows: the comments of a post, or its likes.
//
// Static cells of the partition are its header. Every change is one conditional batch that raises the header's
// version, which is the linearization point:
//
//	(post, 0) │ count 2 │ version 5 │ stamp …900 │ closed –
//	          ├─ row …
//	          └─ row …
//	              │  change: IF version = 5 AND count = 2 AND closed = null
//	              ▼
//	(post, 0) │ count 3 │ version 6 │ stamp …950 │ closed –
//	          ├─ row … and the new one, in the same batch
//
// The version never repeats. That makes an unknown outcome decidable: a coordinator may apply a batch whose answer was
// lost long after a read showed it absent, but only until the version has moved past the batch's guard.
//
// # Group commit
//
// The changes of one partition that this process has under way share a conditional batch. While a batch is in flight
// the next changes queue; one that finds nothing in flight is tried at once, so an idle partition pays nothing.
//
//	commands      queue       leader         partition
//	A ─────────▶  A      ──▶  [A]       ──▶  IF version = 5 … 6
//	B ─────────▶  B
//	C ─────────▶  B C    ──▶  [B C]     ──▶  IF version = 6 … 7    count + 2
//
// The changes of a batch commit at one version and one stamp. Each is told its own count: the one before the batch,
// and what the changes before it and the change itself add. Copies hold the batch's last count alone, for a stamp may
// stand for one count alone. Two changes of one row never share a batch, for each is conditional on its own row.
//
// # Refusals and lost answers
//
// After a refusal the leader reads the rows of the batch at the serial consistency, and with them the header: a change
// that exists is answered with the header that was read with it, one that can't be made any more is refused, and all
// others are tried again. A batch whose answer was lost may still come late; once the version has moved past its guard
// it is applied or never will be. Until then the same changes are tried again under the same guard, and only one of
// the attempts can pass it.
//
// Where the partition is full, too, the leader reads the rows before it refuses a change that may have been made
// before.
package counted
