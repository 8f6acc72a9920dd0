import type { CodegenConfig } from '@graphql-codegen/cli';

export default {
  schema: '../../../schema.graphqls',
  documents: '*.ts',
  emitLegacyCommonJSImports: false,
  generates: {
    './gql/': {
      preset: 'client',
      presetConfig: { fragmentMasking: false },
      config: { scalars: { DateTime: 'string', ID: 'string' }, strictScalars: true, useTypeImports: true, enumsAsTypes: true },
    },
    './gql/schema.json': { plugins: ['introspection'], config: { minify: true } },
  },
} satisfies CodegenConfig;
