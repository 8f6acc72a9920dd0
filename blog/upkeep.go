package blog

import "time"

// Job is a kind of work that a command leaves for after its reply, and that may take long.
type Job string

// The kinds of jobs.
const (
	RenameJob Job = "rename" // writes a new username to every copy of it
	SweepJob  Job = "sweep"  // removes what stood below a deleted post
	EraseJob  Job = "erase"  // removes what an erased account wrote
	HomeJob   Job = "home"   // brings a post to the homes of those who follow its author
)

// Jobs lists every kind.
func Jobs() []Job { return []Job{RenameJob, SweepJob, EraseJob, HomeJob} }

// JobProgress is how one kind of job goes in this process.
type JobProgress struct {
	Running int           // now
	Copies  int64         // written or deleted since the process began
	Oldest  time.Duration // for how long the oldest that runs has run here; 0 where none does
}

// Node is one of the database's, as this process sees it.
type Node struct {
	Up   bool  // it answers
	Hung int64 // connections closed because it did not answer while others did, since the process began
}

// Upkeep is how a store keeps its own house, as far as this process knows it: what commands have left for later, and
// processes that died behind. The zero value is that of a store whose commands leave nothing.
type Upkeep struct {
	Jobs map[Job]JobProgress // a kind that is absent never ran

	// Recovery, of the parts of the journal that this process looks after.
	Undone       int           // commands found half done, to be finished
	OldestUndone time.Duration // age of the oldest of those; 0 where there is none
	Expiring     int           // of those, how many are so old that their record nears its end
	Recovered    int64         // commands finished for others since the process began
	// RecoveryLag is how far behind now recovery's position is, where it is furthest from it; 0 where another process looks
	// after each part. Negative: it lies in the future, and what is left behind until then is not found.
	RecoveryLag time.Duration
	Parts, Held int // of the journal, and those that this process looks after now; 0 of a store that has none

	// Changes that this process has appended to the feed: of its own commands, and of those it finished for others.
	Told, ToldForOthers int64

	ClockOffset time.Duration // how far this process's clock is ahead of the database's; negative: behind

	// LastBackup is when a backup of the store was last made, the beginning of Unix time where none was; zero where
	// backups are made of the database, which does not tell.
	LastBackup time.Time
	LastVerify time.Time // when verify last found all well, the beginning of Unix time where it never did; zero: not known yet
	Schema     int       // the last migration, or the directory's revision

	Nodes  map[string]Node // of the database, by their addresses; empty where it has none
	Hedged int64           // reads asked of a second node, as the first was slow

	Partitions map[Table]int64 // bytes of each table's largest, where that is known and a mebibyte or more

	Newer   string  // what a newer program left that this one does not know, and runs with; empty: nothing
	Unbuilt []Table // new ones that do not hold yet what stood before them: their queries are refused
}
