// Package naive keeps a blog as the guides' first two versions do, for comparison
// with the store: see "How to model and partition data on Azure Cosmos DB using a
// real-world example".
//
//   - [V1] copies nothing. A container of users and one of posts, in which a post, its
//     comments and its likes are items of one partition. Counts are counted, names are
//     looked up one by one; a user's posts and the feed come from secondary indexes.
//   - [V2] has names and counts copied to where they are shown. Lists still come from
//     the indexes.
//
// Both answer the first page of each request with the same as the store does, and are
// written as first versions are: one statement after the other, no promise of
// [blog.Commands] kept beyond what one statement gives. They live in a keyspace of
// their own, whose schema is in schema/.
package naive
