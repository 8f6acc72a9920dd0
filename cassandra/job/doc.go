// Package job does what follows a command's reply. What is short runs in the background of the
// process. What grows with the data is a job: it goes through lists page by page, at a pace, and
// writes what follows from each row. A checkpoint says how far a job has come and a lease which
// server does it, so another server goes on with the job of one that died.
package job
