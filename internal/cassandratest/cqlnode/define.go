package cqlnode

import "strconv"

// definition reads a statement that changes the schema, or that empties a table.
func (p *parser) definition() any {
	switch {
	case p.try("CREATE", "KEYSPACE"):
		return p.createKeyspace()
	case p.try("CREATE", "TABLE"):
		return p.createTable()
	case p.try("ALTER", "TABLE"):
		return p.alterTable()
	case p.try("DROP", "TABLE"):
		return &dropTable{ifExists: p.try("IF", "EXISTS"), name: p.name()}
	case p.try("DROP", "KEYSPACE"):
		return &dropKeyspace{ifExists: p.try("IF", "EXISTS"), name: p.word()}
	case p.try("TRUNCATE"):
		p.try("TABLE")
		return &truncate{p.name()}
	case p.try("USE"):
		return &use{p.word()}
	}
	p.fail("a statement")
	return nil
}

func (p *parser) createKeyspace() *createKeyspace {
	c := &createKeyspace{ifAbsent: p.try("IF", "NOT", "EXISTS"), name: p.word()}
	p.want("WITH", "replication", "=")
	c.replication = p.options()
	return c
}

// options reads {'name': value, …}.
func (p *parser) options() map[string]string {
	all := map[string]string{}
	p.want("{")
	p.list(func() {
		key := p.take().text
		p.want(":")
		all[key] = p.take().text
	})
	p.want("}")
	return all
}

func (p *parser) createTable() *createTable {
	c := &createTable{ifAbsent: p.try("IF", "NOT", "EXISTS"), name: p.name(), descending: map[string]bool{}}
	p.want("(")
	p.list(func() {
		if p.try("PRIMARY", "KEY") {
			p.primaryKey(c)
			return
		}
		column := p.column()
		c.columns = append(c.columns, column)
		if p.try("PRIMARY", "KEY") {
			c.partitionKey = []string{column.name}
		}
	})
	p.want(")")
	if p.try("WITH") {
		p.tableOptions(c)
	}
	return c
}

func (p *parser) column() columnDefinition {
	c := columnDefinition{name: p.word(), typ: p.dataType()}
	c.static = p.try("static")
	return c
}

func (p *parser) primaryKey(c *createTable) {
	p.want("(")
	if p.peek().is("(") {
		c.partitionKey = p.words()
	} else {
		c.partitionKey = []string{p.word()}
	}
	for p.err == nil && p.try(",") {
		c.clustering = append(c.clustering, p.word())
	}
	p.want(")")
}

func (p *parser) tableOptions(c *createTable) {
	p.tableOption(c)
	for p.err == nil && p.try("AND") {
		p.tableOption(c)
	}
}

// tableOption reads an option. Those that change no answer are passed over.
func (p *parser) tableOption(c *createTable) {
	if p.try("CLUSTERING", "ORDER", "BY", "(") {
		p.list(func() { o := p.ordering(); c.descending[o.column] = o.descending })
		p.want(")")
		return
	}
	option := p.word()
	p.want("=")
	switch {
	case p.peek().is("{"):
		p.options()
	case option == "default_time_to_live":
		c.ttl, _ = strconv.Atoi(p.take().text)
	default:
		p.take()
	}
}

func (p *parser) alterTable() *alterTable {
	a := &alterTable{name: p.name()}
	switch {
	case p.try("ADD"):
		a.ifAbsent = p.try("IF", "NOT", "EXISTS")
		p.list(func() { a.add = append(a.add, p.column()) })
	case p.try("DROP"):
		a.drop = p.word()
	case p.try("WITH"): // what is stored already keeps its time to live, and nothing else here depends on it
		p.tableOptions(&createTable{})
	default:
		p.fail("ADD, DROP or WITH")
	}
	return a
}

func (p *parser) dataType() dataType {
	t := dataType{name: p.word()}
	switch t.name {
	case "frozen":
		p.want("<")
		t = p.dataType()
		t.frozen = true
		p.want(">")
	case "list", "set", "map":
		p.want("<")
		p.list(func() { t.of = append(t.of, p.dataType()) })
		p.want(">")
	}
	if p.err == nil && !t.known() {
		p.fail("a type that is known here, and not " + t.name)
	}
	return t
}
