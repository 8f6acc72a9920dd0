package embedded_test

import (
	"context"
	"fmt"
	"sync/atomic"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"

	"broadsheet/blog"
	"broadsheet/embedded"
	"broadsheet/internal/storetest"
)

// Durable commands of 64 concurrent writers on one disk.
func BenchmarkLikes(b *testing.B) {
	s, users, posts, disk := seeded(b, 64, 64)
	concurrently(b, disk, func(i int) error {
		_, _, err := s.LikePost(b.Context(), blog.LikePost{Actor: users[i%64], Post: posts[i/64%64]})
		if err == nil && i/64/64%2 == 1 {
			_, err = s.UnlikePost(b.Context(), blog.UnlikePost{Actor: users[i%64], Post: posts[i/64%64]})
		}
		return err
	})
}

func BenchmarkComments(b *testing.B) {
	s, users, posts, disk := seeded(b, 64, 1)
	concurrently(b, disk, func(i int) error {
		_, _, err := s.CreateComment(b.Context(), blog.CreateComment{Author: users[i%64], Post: posts[0], Content: "a comment of some words"})
		return err
	})
}

func BenchmarkFeedPage(b *testing.B) {
	s, _, _, _ := seeded(b, 10, 1_000)
	b.ReportAllocs()
	for b.Loop() {
		page, err := s.Feed(b.Context(), blog.FirstPage[blog.PostID](100))
		if err != nil || len(page.Items) != 100 {
			b.Fatal(err)
		}
	}
}

func BenchmarkPostByID(b *testing.B) {
	s, _, posts, _ := seeded(b, 10, 100)
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		if _, err := s.PostByID(b.Context(), posts[i%100]); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkCommentsByPost(b *testing.B) {
	s, users, posts, _ := seeded(b, 20, 1)
	for i := range 40 {
		if _, _, err := s.CreateComment(b.Context(), blog.CreateComment{Author: users[i%20], Post: posts[0], Content: "a comment of some words"}); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportAllocs()
	for b.Loop() {
		page, err := s.CommentsByPost(b.Context(), blog.CommentsQuery{Post: posts[0], Page: blog.FirstPage[blog.CommentID](20)})
		if err != nil || len(page.Items) != 20 {
			b.Fatal(err)
		}
	}
}

func BenchmarkLikesByPost(b *testing.B) {
	s, users, posts, _ := seeded(b, 40, 1)
	for _, user := range users {
		if _, _, err := s.LikePost(b.Context(), blog.LikePost{Actor: user, Post: posts[0]}); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportAllocs()
	for b.Loop() {
		page, err := s.LikesByPost(b.Context(), posts[0], blog.FirstPage[blog.ReactionPosition](20))
		if err != nil || len(page.Items) != 20 {
			b.Fatal(err)
		}
	}
}

func BenchmarkUserByUsername(b *testing.B) {
	s, _, _, _ := seeded(b, 100, 1)
	b.ReportAllocs()
	for b.Loop() {
		if _, err := s.UserByUsername(b.Context(), "user_7"); err != nil {
			b.Fatal(err)
		}
	}
}

func concurrently(b *testing.B, disk *syncs, do func(i int) error) {
	var n atomic.Int64
	synced := disk.n.Load()
	b.SetParallelism(32) // by two cores
	b.ReportAllocs()
	b.RunParallel(func(pb *testing.PB) {
		for pb.Next() {
			if err := do(int(n.Add(1))); err != nil {
				b.Error(err)
				return
			}
		}
	})
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "commands/s")
	b.ReportMetric(float64(disk.n.Load()-synced)/float64(b.N), "syncs/op")
}

// blind is an observer, as a server has one.
type blind struct{}

func (blind) Statement(context.Context, blog.Statement) {}

func seeded(b *testing.B, users, posts int) (*embedded.Store, []blog.UserID, []blog.PostID, *syncs) {
	disk := &syncs{}
	s, err := embedded.Open(b.TempDir(), embedded.Options{Options: blog.Options{Observer: blind{}}, FS: disk.of(vfs.Default), Log: quiet})
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { s.Close() })
	var userIDs []blog.UserID
	for i := range users {
		name := fmt.Sprint("user_", i)
		u, err := s.CreateUser(b.Context(), blog.CreateUser{Subject: name, Username: name})
		if err != nil {
			b.Fatal(err)
		}
		userIDs = append(userIDs, u.ID)
	}
	var postIDs []blog.PostID
	for i := range posts {
		p, err := s.CreatePost(b.Context(), blog.CreatePost{Author: userIDs[i%users], Title: fmt.Sprint("title ", i), Content: "some words"})
		if err != nil {
			b.Fatal(err)
		}
		s.LikePost(b.Context(), blog.LikePost{Actor: userIDs[0], Post: p.ID})
		s.CreateComment(b.Context(), blog.CreateComment{Author: userIDs[0], Post: p.ID, Content: "a comment"})
		postIDs = append(postIDs, p.ID)
	}
	b.ResetTimer()
	return s, userIDs, postIDs, disk
}

func BenchmarkThreads(b *testing.B) {
	store, err := embedded.Open(b.TempDir(), embedded.Options{Log: quiet})
	if err != nil {
		b.Fatal(err)
	}
	defer store.Close()
	storetest.BenchThreads(b, store)
}
