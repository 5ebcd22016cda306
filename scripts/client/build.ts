// Builds src/client/dist, the content of the client's package: index.js, and index.d.ts that imports nothing of the
// service. `npm pack -w src/client` runs it.
import { copyFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import ts from 'typescript'
import { comparison } from './comparison.ts'
import { describeRouter } from './describe-router.ts'
import { createPrograms } from './programs.ts'

const root = join(dirname(fileURLToPath(import.meta.url)), '..', '..')
const client = join(root, 'src', 'client')
const dist = join(client, 'dist')

// The types of @trpc/server use `Disposable`, which the libraries of ES2024 and older do not declare.
const HEADER = `/// <reference lib="esnext.disposable" />
import type { TRPCBuiltRouter, TRPCMutationProcedure, TRPCQueryProcedure } from '@trpc/server';
`

const programs = createPrograms(join(root, 'tsconfig.json'))
const router = describeRouter(...programs.exportedType(join(root, 'src', 'trpc', 'root.ts'), 'AppRouter'))

const source = readFileSync(join(client, 'index.ts'), 'utf8')
const transpile = {
  fileName: 'index.ts',
  compilerOptions: { target: ts.ScriptTarget.ES2022, module: ts.ModuleKind.ESNext },
}
const ownDeclarations = ts
  .transpileDeclaration(source, transpile)
  .outputText.replaceAll(/^.* from '\.\.\/trpc\/root\.ts';\n/gm, '')
const declarations = ts.createSourceFile(
  'index.d.ts',
  HEADER + ownDeclarations + router.text,
  ts.ScriptTarget.ES2022,
)

mkdirSync(dist, { recursive: true })
copyFileSync(join(root, 'LICENSE'), join(dist, 'LICENSE'))
writeFileSync(join(dist, 'index.js'), ts.transpileModule(source, transpile).outputText)
writeFileSync(join(dist, 'index.d.ts'), ts.createPrinter().printFile(declarations))

const errors = programs.errorsIn(join(dist, 'comparison.ts'), comparison(router.paths))
if (errors.length > 0) {
  process.stderr.write(`src/client/dist/index.d.ts differs from the service:\n${errors.join('\n')}\n`)
  process.exitCode = 1
}
