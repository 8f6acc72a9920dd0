// Package storetest says what a [blog.Store] is, in tests that every store passes.
//
//   - [Run] is the conformance suite: a file for each query's table and for each
//     command, and a leaf test for each promise.
//   - [Model] is a store of plain maps that computes every list by scanning and
//     sorting. It is the judge: so simple that it is right by inspection.
//   - [Differential] drives the model and other stores with the same random
//     commands and compares every answer.
//   - [UnderFaults] breaks each step of each command of a store, and judges by the
//     model what comes of it.
//   - [Checked] wraps a store and fails the test where a method returns an error
//     that its comment does not name.
//
// All is random from one seed, which is printed; STORETEST_SEED sets it. Nothing
// sleeps: time is a [Clock] that stands still until a test moves it.
package storetest
