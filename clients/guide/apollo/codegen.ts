import type { CodegenConfig } from '@graphql-codegen/cli';

export default {
  schema: '../../../schema.graphqls', // or the server's /schema.graphql
  documents: '*.{ts,tsx}',
  emitLegacyCommonJSImports: false,
  generates: {
    './gql/': {
      preset: 'client',
      // The names of the documents, for --trusted-documents.
      presetConfig: { fragmentMasking: false, persistedDocuments: { hashAlgorithm: 'sha256' } },
      config: {
        scalars: { DateTime: 'string', ID: 'string' },
        strictScalars: true,
        useTypeImports: true,
        enumsAsTypes: true,
        nonOptionalTypename: true, // an optimistic answer has to name its types
      },
    },
    './gql/possible-types.ts': {
      plugins: ['fragment-matcher'],
      config: { useExplicitTyping: true },
    },
  },
} satisfies CodegenConfig;
