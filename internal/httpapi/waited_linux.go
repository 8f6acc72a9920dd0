package httpapi

import (
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// sinceReceived returns how long ago anything was received on a TCP connection, to some
// milliseconds: tcp(7), TCP_INFO.
func sinceReceived(conn syscall.Conn) (ago time.Duration) {
	raw, err := conn.SyscallConn()
	if err != nil {
		return 0
	}
	_ = raw.Control(func(fd uintptr) {
		if info, err := unix.GetsockoptTCPInfo(int(fd), unix.IPPROTO_TCP, unix.TCP_INFO); err == nil {
			ago = time.Duration(info.Last_data_recv) * time.Millisecond
		}
	})
	return ago
}
