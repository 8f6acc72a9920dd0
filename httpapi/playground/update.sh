#!/bin/sh
# Gets the third-party files in assets/ anew from npm, at the versions which assets/package-lock.json names.
# To upgrade: change assets/package.json, run `./update.sh --lock`, then the tests, then look at the page in a browser.
#
#   ./update.sh          writes assets/
#   ./update.sh --lock   the same, after resolving assets/package.json anew
#   ./update.sh --check  writes nothing, fails if assets/ is not what npm gives
set -eu
here=$(cd "$(dirname "$0")" && pwd)
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT

mkdir "$tmp/out"
cp "$here/assets/package.json" "$here/assets/.npmrc" "$tmp/"
if [ "${1:-}" = --lock ]; then
  (cd "$tmp" && npm install --ignore-scripts --no-audit --no-fund)
else
  cp "$here/assets/package-lock.json" "$tmp/"
  (cd "$tmp" && npm ci --ignore-scripts --no-audit --no-fund)
fi

cd "$tmp/node_modules"
# The source map stays behind (4.7 MB), so the line that names it does too.
sed '/^\/\/# sourceMappingURL=/d' graphiql/graphiql.min.js > "$tmp/out/graphiql.min.js"
cp graphiql/graphiql.min.css "$tmp/out/"
cp react/umd/react.production.min.js react-dom/umd/react-dom.production.min.js "$tmp/out/"
cp "$tmp/package-lock.json" "$tmp/out/"
node "$here/licenses.mjs" . > "$tmp/out/LICENSES.txt"

if [ "${1:-}" = --check ]; then
  for file in "$tmp/out/"*; do
    cmp "$file" "$here/assets/$(basename "$file")"
  done
else
  cp "$tmp/out/"* "$here/assets/"
fi
