package embedded

// Flush makes Pebble write its memory to table files, in the background.
func (s *Store) Flush() {
	aside(func() error {
		_, err := s.db.AsyncFlush()
		return err
	})
}
