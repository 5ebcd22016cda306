import { v5 } from 'uuid'

/** Made once, at random (RFC 9562, version 4). */
const NAMESPACE = 'b6a8ff0e-52b5-4d0e-9a53-6f1a0d7c2f41'

/**
 * Returns the id of a visitor of another product: always the same one for the same visitor, and never that of a live visitor, so
 * that what was imported can be removed again.
 * @param format name of the format, such as `umami`
 * @param id of the visitor in that product; any text
 */
export function visitorIdOf(format: string, id: string): string {
  return v5(`${format}\n${id}`, NAMESPACE)
}
