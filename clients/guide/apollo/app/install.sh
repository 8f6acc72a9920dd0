npm create --yes vite@9 blog -- --template react-ts --no-interactive
cd blog
npm install @apollo/client@4 graphql@16 graphql-ws@6 rxjs@7
npm install --save-dev @graphql-codegen/cli@7 @graphql-codegen/client-preset@6 @graphql-codegen/fragment-matcher@7
