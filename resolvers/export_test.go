package resolvers

// LargeReads returns how many reads of large operations are under way, or wait.
func (r *Resolver) LargeReads() int { return r.reads.clients.Users() }
