import type { JsonItem, JsonObject } from '../../read/json-lines.ts'
import { readJsonObjects } from '../../read/json-objects.ts'
import { refusal } from '../../read/limits.ts'
import { filesIn } from '../../read/packed-files.ts'
import type { SourceFile } from '../../source-file.ts'

/** A file is of another format when none of so many objects is of this one. */
const ENOUGH = 1_000

/**
 * Yields the objects of a file with JSON lines or JSON arrays, or of all files of an archive one after the other.
 * @param isOfFormat tells an object of the format from any other; those go on as they are, too
 * @param expected what the file must be, for the message
 * @throws AppError `validation_failed` when none of the objects is of the format
 */
export async function* readObjects(
  file: SourceFile,
  isOfFormat: (value: JsonObject) => boolean,
  expected: string,
): AsyncGenerator<JsonItem> {
  let items = 0
  let isKnown = false
  for (const { read } of await filesIn(file)) {
    for await (const item of readJsonObjects(read())) {
      if (!isKnown) {
        items += 1
        isKnown = item.value !== undefined && isOfFormat(item.value)
        if (!isKnown && items >= ENOUGH) throw otherFormat(file, expected)
      }
      yield item
    }
  }
  if (!isKnown && file.bytes > 0) throw otherFormat(file, expected)
}

const otherFormat = (file: SourceFile, expected: string) =>
  refusal(`${file.name} is of another format. Bring ${expected}`)

/** Returns a value if it is an object; an empty one otherwise. */
export function objectIn(value: unknown): JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as JsonObject) : {}
}

/** Returns the elements of a value if it is an array; none otherwise. */
export function arrayIn(value: unknown): unknown[] {
  return Array.isArray(value) ? value : []
}
