package main

import (
	"bytes"
	"debug/buildinfo"
	"encoding/base64"
	"fmt"
	"os"
	"runtime/debug"
	"strings"

	"github.com/CycloneDX/cyclonedx-go"
)

// writeMaterials lists the modules that a binary was made of, and Go itself (CycloneDX 1.6).
func writeMaterials(b built) error {
	info, err := buildinfo.ReadFile(b.file)
	if err != nil {
		return err
	}
	program := component(&debug.Module{Path: info.Main.Path, Version: b.version})
	program.Type = cyclonedx.ComponentTypeApplication
	parts := []cyclonedx.Component{component(&debug.Module{Path: "std", Version: strings.TrimPrefix(info.GoVersion, "go")})}
	for _, m := range info.Deps {
		if m.Replace != nil {
			m = m.Replace
		}
		parts = append(parts, component(m))
	}
	bom := cyclonedx.NewBOM()
	bom.Metadata = &cyclonedx.Metadata{Component: &program}
	bom.Components = &parts
	var out bytes.Buffer
	encoder := cyclonedx.NewBOMEncoder(&out, cyclonedx.BOMFileFormatJSON).SetPretty(true).SetEscapeHTML(false)
	if err := encoder.EncodeVersion(bom, cyclonedx.SpecVersion1_6); err != nil {
		return err
	}
	return os.WriteFile(b.file+".cdx.json", out.Bytes(), 0o644)
}

// component returns a module by its package URL, with the hash that go.sum has of it.
func component(m *debug.Module) cyclonedx.Component {
	url := fmt.Sprintf("pkg:golang/%s@%s", m.Path, m.Version)
	c := cyclonedx.Component{Type: cyclonedx.ComponentTypeLibrary, BOMRef: url, Name: m.Path, Version: m.Version, PackageURL: url}
	if sum, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(m.Sum, "h1:")); err == nil && len(sum) > 0 {
		c.Hashes = &[]cyclonedx.Hash{{Algorithm: cyclonedx.HashAlgoSHA256, Value: fmt.Sprintf("%x", sum)}}
	}
	return c
}
