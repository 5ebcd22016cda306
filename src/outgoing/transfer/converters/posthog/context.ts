import type { JsonObject } from '../../read/json-lines.ts'
import type { ConvertOptions } from '../converter.ts'
import type { Identified } from '../fields/identified.ts'
import type { Sender } from '../fields/lines.ts'
import type { Texts } from '../fields/texts.ts'
import type { ViewedTimes } from './engagement.ts'

/** What is the same for all events of a file. */
export interface Context {
  options: ConvertOptions
  texts: Texts
  identified: Identified
  views: ViewedTimes
}

/** An event with what all kinds of hits need of it. */
export interface Read {
  event: JsonObject
  name: string
  properties: JsonObject
  sender: Sender
  /** With query and tags; undefined for an event without address. */
  path: string | undefined
}
