package cassandra

import "broadsheet/blog"

// Upkeep is a method of [blog.Store].
func (s *Store) Upkeep() blog.Upkeep {
	u := blog.Upkeep{Jobs: s.jobs.Progress(), ClockOffset: s.clocks.Offset()}
	s.recovery.report(&u, s.clocks.Now())
	if newer := s.newer.Load(); newer != nil && *newer != "" {
		u.Newer = "the schema has migrations that only a newer program knows: " + *newer
	}
	return u
}
