// Prints the licences of all that graphiql's, react's and react-dom's browser files contain.
// GraphiQL's source map names every file that went into its bundle, and so every package.
// Usage: node licenses.mjs path/to/node_modules
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

const modules = process.argv[2];

// GraphiQL's own repository is a workspace: these folders of it are packages of other names.
const workspace = {
  "graphiql-react": "@graphiql/react",
  "graphiql-toolkit": "@graphiql/toolkit",
  "graphiql-plugin-history": "@graphiql/plugin-history",
  "graphiql-plugin-doc-explorer": "@graphiql/plugin-doc-explorer",
};

// Bundled in graphiql's build, and since then merged into another package of the same repository.
const movedTo = {
  "@radix-ui/react-use-escape-keydown": "@radix-ui/react-dismissable-layer",
  "@react-aria/utils": "@react-aria/focus",
};

// React's UMD files hold these besides React itself.
const inReact = ["react", "react-dom", "scheduler"];

function packageOf(source) {
  const installed = source.split("node_modules/").slice(1).pop();
  if (installed) return installed.match(/^(@[^/]+\/)?[^/]+/)[0];
  const folder = source.match(/^\.\.\/\.\.\/([^/]+)\//)?.[1];
  if (folder) return workspace[folder] ?? folder;
  return "graphiql";
}

// Packages without a licence text whose repository has one: it is in a sister package.
const textOfRepository = Object.fromEntries(
  Object.entries({ "github.com/graphql/graphiql": "graphiql", "github.com/facebook/react": "react" }).map(
    ([repository, name]) => [repository, readFileSync(join(modules, name, "LICENSE"), "utf8").trim()],
  ),
);

function read(name) {
  const dir = join(modules, movedTo[name] ?? name);
  const about = JSON.parse(readFileSync(join(dir, "package.json"), "utf8"));
  const file = readdirSync(dir).find((f) => /^licen[cs]e/i.test(f));
  if (!about.license) throw new Error(`${name} names no licence`);
  const repository = about.repository?.url ?? about.repository ?? about.homepage;
  const text = file
    ? readFileSync(join(dir, file), "utf8").replaceAll("\r\n", "\n").trim()
    : textOfRepository[Object.keys(textOfRepository).find((r) => repository.includes(r))] ??
      `The package has no licence text. It names: ${about.license}. Author: ${about.author?.name ?? about.author}. Source: ${repository}`;
  return { name, license: about.license, text };
}

const map = JSON.parse(readFileSync(join(modules, "graphiql/graphiql.min.js.map"), "utf8"));
const names = new Set([...map.sources.map(packageOf), ...inReact]);
const entries = [...names].sort().map(read);

// Of the fonts inside graphiql.min.css.
entries.push({ ...read("@fontsource/fira-code"), name: "Fira Code (font)" });
const apache = entries.find((e) => e.license === "Apache-2.0").text;
entries.push({
  name: "Roboto 2.137 (font)",
  license: "Apache-2.0",
  text: `Copyright 2011 Google Inc. All Rights Reserved.\n\n${apache}`,
});

const byText = new Map();
for (const e of entries) byText.set(e.text, [...(byText.get(e.text) ?? []), e]);

const rule = "=".repeat(80);
console.log("The playground's files contain the following, under these licences.");
console.log("Files: graphiql.min.js, graphiql.min.css, react.production.min.js, react-dom.production.min.js.");
for (const [text, group] of byText) {
  console.log(`\n${rule}\n${group.map((e) => `${e.name} (${e.license})`).join("\n")}\n${rule}\n\n${text}`);
}
