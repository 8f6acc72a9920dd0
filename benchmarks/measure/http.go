package measure

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/http"
	"strings"

	"broadsheet/blog"
	"broadsheet/internal/relay"
)

// Server is a running server to load.
type Server struct {
	connections *connections
	url         string
	plain       bool // without GraphQL: a path for each request

	SignedIn bool // queries are a drawn user's, by dev auth's token; else nobody's
}

// GraphQL returns the server whose endpoint is at url, as in
// http://127.0.0.1:8080/graphql. It holds so many connections until Close.
func GraphQL(url string, n int) *Server {
	return &Server{connections: newConnections(n), url: url}
}

// Plain returns the server without GraphQL whose paths begin at url. It holds so many
// connections until Close.
func Plain(url string, n int) *Server {
	return &Server{connections: newConnections(n), url: url, plain: true}
}

// Close closes the connections.
func (s *Server) Close() { s.connections.close() }

// ask makes one request, and returns an error unless it was answered as wished.
func (s *Server) ask(ctx context.Context, d document, about drawn) error {
	return s.do(ctx, d, about, func([]byte) error { return nil })
}

// do makes one request, and calls read with an answer as wished, which is gone afterwards.
func (s *Server) do(ctx context.Context, d document, about drawn, read func([]byte) error) error {
	request, err := s.request(ctx, d, about)
	if err != nil {
		return err
	}
	return s.connections.do(request, func(status int, answer []byte) error {
		if status != http.StatusOK {
			return fmt.Errorf("%s: status %d: %.300s", request.URL, status, answer)
		}
		if wrong := refused(answer); wrong != "" {
			return fmt.Errorf("%s refuses it: %s", s.url, wrong)
		}
		return read(answer)
	})
}

func (s *Server) request(ctx context.Context, d document, about drawn) (*http.Request, error) {
	if s.plain {
		method := http.MethodGet
		if d.writes {
			method = http.MethodPost
		}
		return http.NewRequestWithContext(ctx, method, s.url+"/"+d.Name+"?"+about.plain.Encode(), nil)
	}
	body, err := d.body(about.variables)
	if err != nil {
		return nil, err
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, s.url, bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set("Accept", "application/graphql-response+json")
	if about.token != "" {
		request.Header.Set("Authorization", "Bearer "+about.token)
	}
	return request, nil
}

// Sample returns the newest posts of the server's feed and their authors.
func (s *Server) Sample(ctx context.Context) (Sample, error) { return TakeSample(ctx, s) }

// Feed reads a page of the feed: ids and authors only.
func (s *Server) Feed(ctx context.Context, page blog.PageRequest[blog.PostID]) (found blog.Page[blog.Post], err error) {
	variables := map[string]any{"first": page.Limit}
	if page.After != nil {
		variables["after"] = relay.Feed(blog.NewestFirst).Cursor(*page.After)
	}
	d := document{text: `query Sample($first: Int!, $after: String) { feed(first: $first, after: $after) { edges { node { id author { id username } } } pageInfo { hasNextPage } } }`}
	var answer struct {
		Data struct {
			Feed struct {
				Edges []struct {
					Node struct {
						ID     string
						Author struct{ ID, Username string }
					}
				}
				PageInfo struct{ HasNextPage bool }
			}
		}
	}
	err = s.do(ctx, d, drawn{variables: variables}, func(text []byte) error { return json.Unmarshal(text, &answer) })
	found.HasNext = answer.Data.Feed.PageInfo.HasNextPage
	for _, edge := range answer.Data.Feed.Edges {
		post, perr := relay.DecodeID[blog.PostID](edge.Node.ID)
		author, aerr := relay.DecodeID[blog.UserID](edge.Node.Author.ID)
		if perr != nil || aerr != nil {
			return found, fmt.Errorf("%s does not answer as Broadsheet does: post %q", s.url, edge.Node.ID)
		}
		found.Items = append(found.Items, blog.Post{ID: post, Author: blog.Author{ID: author, Username: edge.Node.Author.Username}})
	}
	return found, err
}

// HTTPLoad loads one server with all requests.
type HTTPLoad struct {
	Server      *Server
	Sample      Sample
	Writes      bool // the commands too
	Only        Only
	Connections []int
	Load        Load
	Progress    Progress
}

// HTTPRow is one request to a server.
type HTTPRow struct {
	Request string `json:"request"`
	What    string `json:"what"`
	Result
}

// HTTPTable is all requests at one number of connections.
type HTTPTable struct {
	Connections int       `json:"connections"`
	Rows        []HTTPRow `json:"requests"`
}

func (h HTTPLoad) documents() []document {
	var all []document
	for _, d := range documents() {
		if (h.Writes || !d.writes) && h.Only.Has(d.Name) {
			all = append(all, d)
		}
	}
	return all
}

// Steps returns how many measurements there are.
func (h HTTPLoad) Steps() int { return len(h.Connections) * len(h.documents()) }

// Run measures.
func (h HTTPLoad) Run(ctx context.Context) (HTTPReport, error) {
	report := HTTPReport{URL: h.Server.url, Users: len(h.Sample.Users), Posts: len(h.Sample.Posts)}
	for _, connections := range h.Connections {
		table := HTTPTable{Connections: connections}
		for _, d := range h.documents() {
			load := h.Load
			load.Connections = connections
			load.warmUp().Run(ctx, h.Server.asking(d, h.Sample))
			r := load.Run(ctx, h.Server.asking(d, h.Sample))
			if ctx.Err() != nil {
				return report, ctx.Err()
			}
			table.Rows = append(table.Rows, HTTPRow{Request: d.Name, What: d.What, Result: r})
			_ = h.Progress.Add(1)
		}
		report.Tables = append(report.Tables, table)
	}
	return report, nil
}

// asking returns what a caller does again and again.
func (s *Server) asking(d document, sample Sample) func(context.Context, *rand.Rand) error {
	return func(ctx context.Context, random *rand.Rand) error {
		about := d.draw(sample, random)
		if about.token == "" && s.SignedIn {
			about.token = sample.user(random).Username
		}
		return s.ask(ctx, d, about)
	}
}

// HTTPReport is what a server showed.
type HTTPReport struct {
	URL    string      `json:"url"`
	Users  int         `json:"users"`
	Posts  int         `json:"posts"`
	Tables []HTTPTable `json:"tables"`
}

// Markdown returns the report as text.
func (r HTTPReport) Markdown() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s, asked for %d posts of %d users; %s\n", r.URL, r.Posts, r.Users, machine())
	for _, t := range r.Tables {
		lines := grid{{"", "request", "requests/s", "p50 ms", "p95 ms", "p99 ms", "generator's CPU ms", "errors"}}
		wrong := ""
		for _, row := range t.Rows {
			lines = append(lines, []string{row.Request, row.What, amount(row.PerSecond), latency(row.P50), latency(row.P95), latency(row.P99), latency(row.CPU), fmt.Sprint(row.Errors)})
			wrong += row.Result.complaint(row.Request)
		}
		fmt.Fprintf(&b, "\n%s:\n\n%s%s", connectionsText(t.Connections), lines, wrong)
	}
	return b.String()
}

// JSON returns the report's figures.
func (r HTTPReport) JSON() ([]byte, error) { return indented(r) }
