package view

import (
	"crypto/sha256"
	_ "embed"
	"encoding/base64"
	"encoding/json"
	"html"
	"io"
	"strings"
)

var (
	//go:embed page/page.html
	pageHTML string
	//go:embed page/style.css
	pageStyle string
	//go:embed page/core.js
	coreScript string
	//go:embed page/stages.js
	stagesScript string
	//go:embed page/layouts.js
	layoutsScript string
	//go:embed page/run.js
	runScript string
	//go:embed page/values.js
	valuesScript string
	//go:embed page/cost.js
	costScript string
	//go:embed page/memory.js
	memoryScript string
	//go:embed page/beside.js
	besideScript string
	//go:embed page/main.js
	mainScript string
)

// script is the page's script: a function, so that nothing of it is global.
var script = "(() => {\n\"use strict\";\n" + strings.Join([]string{coreScript, stagesScript, layoutsScript,
	runScript, valuesScript, costScript, memoryScript, besideScript, mainScript}, "\n") + "})();\n"

// Write writes the page of a model as one document.
func Write(w io.Writer, m *Model) error {
	data, err := json.Marshal(m) // escapes <, > and &, so that no text of a kernel ends the element around it
	if err != nil {
		return err
	}
	_, err = strings.NewReplacer(
		"{{title}}", html.EscapeString(m.Title), "{{policy}}", policy(m.Live),
		"{{style}}", pageStyle, "{{script}}", script, "{{data}}", string(data),
	).WriteString(w, pageHTML)
	return err
}

// policy is the page's content security policy: its own script and style run, and nothing is loaded from
// anywhere; a page with a server talks to that server alone.
func policy(live bool) string {
	connect := "'none'"
	if live {
		connect = "'self'"
	}
	return "default-src 'none'; script-src " + hashOf(script) + "; style-src " + hashOf(pageStyle) +
		"; connect-src " + connect + "; img-src data:; base-uri 'none'; form-action 'none'"
}

func hashOf(text string) string {
	sum := sha256.Sum256([]byte(text))
	return "'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"
}
