package coalesce

// Keys is how many keys are kept of a Next without Many.
func (n *Next[K, V]) Keys() int {
	n.mu.Lock()
	defer n.mu.Unlock()
	return len(n.byKey)
}
