import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { projectRoot } from '../src/platform/config/config.ts'
import { settingsDocument } from './settings-document.ts'

// Writes the documents that follow from the sources (`npm run -s docs`); test/documents.test.ts compares them.
writeFileSync(join(projectRoot, 'docs', 'configuration.md'), settingsDocument())
