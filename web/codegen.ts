import type { CodegenConfig } from '@graphql-codegen/cli';

export default {
  schema: '../schema.graphqls',
  documents: ['src/**/*.tsx', 'src/**/*.ts', '!src/gql/**'],
  generates: {
    './src/gql/': {
      preset: 'client',
      presetConfig: { fragmentMasking: { unmaskFunctionName: 'readFragment' } },
      config: {
        scalars: { DateTime: 'string' },
        strictScalars: true,
        useTypeImports: true,
        enumsAsTypes: true,
        // An optimistic answer goes to the cache, which finds objects by their type's name.
        nonOptionalTypename: true,
      },
    },
  },
} satisfies CodegenConfig;
