package pace

import (
	"testing"
	"testing/synctest"
)

// Those that wait for a place get it in the order in which they came, as long as they last.
func TestEnter(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		places, ended, order := NewPlaces(1), make(chan struct{}), make(chan int, 8)
		leave := places.Enter(nil)
		for i := range 3 {
			go func() {
				leave := places.Enter(nil)
				order <- i
				leave()
			}()
			synctest.Wait()
		}
		go func() {
			places.Enter(ended)()
			order <- -1
		}()
		close(ended)
		synctest.Wait()
		leave()
		for _, want := range []int{-1, 0, 1, 2} {
			if got := <-order; got != want {
				t.Errorf("%d came, want %d", got, want)
			}
		}
		synctest.Wait()
		if len(places) > 0 {
			t.Error("a place was not given back")
		}
	})
	NewPlaces(0).Enter(nil)() // bounds nothing
}

// What has ended takes no place, though there is one.
func TestTakeOfWhatHasEnded(t *testing.T) {
	t.Parallel()
	ended := make(chan struct{})
	close(ended)
	if places := NewPlaces(1); places.Take(ended, 0) {
		t.Error("it took a place")
	}
}
