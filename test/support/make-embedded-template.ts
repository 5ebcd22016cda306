/** Makes the database that tests start from, before the tests: `scripts/test` runs it beside its other checks. */
import { embeddedTemplate } from './embedded-template.ts'

await embeddedTemplate()
