/**
 * Preloaded with `node --import` into test workers and into the services that tests start. It keeps the optimized machine code of the
 * embedded database in the file `COMPILED_DATABASE`: V8 otherwise compiles the same functions again in each process, for 1.5 s of CPU
 * before the first statement. V8 refuses code of another version, of other flags or of another module; then the module is compiled as usual.
 */
import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import v8 from 'node:v8'
import vm from 'node:vm'
import { isMainThread } from 'node:worker_threads'

/** The embedded database has 9 MB; other modules, such as that of bitmaps, are smaller. */
const DATABASE_BYTES = 5_000_000

/** Runs with a flag of V8 that is off before and after: V8 compares the flags of the code with those of the process. */
function withFlag(name, run) {
  v8.setFlagsFromString(`--${name}`)
  try {
    return run()
  } finally {
    v8.setFlagsFromString(`--no-${name}`)
  }
}

/** @type {WebAssembly.Module | undefined} */
let compiled
const compile = WebAssembly.compile
const instantiate = WebAssembly.instantiate

/**
 * Returns a function of V8 itself. Call it at once: V8 may forget its code later, and cannot parse it again with the flag off. The
 * brackets make V8 compile it while the flag is on.
 */
const nativeFunction = (name, ...parameters) =>
  withFlag('allow-natives-syntax', () =>
    new Function(`return (function (${parameters}) { return %${name}(${parameters}) })`)(),
  )

/** @returns undefined where the module has to be compiled */
function load(bytes) {
  const file = process.env.COMPILED_DATABASE
  if (!file || !existsSync(file)) return undefined
  const code = new Uint8Array(readFileSync(file)).buffer
  const wireBytes = new Uint8Array(bytes)
  try {
    return nativeFunction('DeserializeWasmModule', 'code', 'bytes')(code, wireBytes)
  } catch {
    return undefined
  }
}

function keepCompiledDatabase() {
  WebAssembly.instantiate = async (source, imports) => {
    if (source instanceof WebAssembly.Module || source.byteLength < DATABASE_BYTES)
      return instantiate(source, imports)
    compiled ??= load(source) ?? (await compile(source))
    return { module: compiled, instance: await instantiate(compiled, imports) }
  }
}

// Threads start no database.
if (isMainThread) {
  keepCompiledDatabase()
  // Frees a closed database, 300 MB, at once.
  globalThis.gc = withFlag('expose-gc', () => vm.runInNewContext('gc'))
}

/** Writes the code that was optimized so far. */
export function saveCompiledDatabase(file) {
  const serialize = nativeFunction('SerializeWasmModule', 'module')
  writeFileSync(`${file}.new`, new Uint8Array(serialize(compiled)))
  renameSync(`${file}.new`, file)
}
