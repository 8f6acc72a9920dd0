package embedded

import "context"

// Flush makes Pebble write its memory to table files, in the background.
func (s *Store) Flush() {
	leave, err := s.enter(context.Background())
	if err != nil {
		return
	}
	aside(func() error {
		defer leave()
		_, err := s.db.AsyncFlush()
		return err
	})
}
