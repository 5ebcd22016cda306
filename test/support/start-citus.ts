import { startCitus } from './citus-cluster.ts'

// Starts a coordinator and two workers that go on running, for tests by hand:
// npx tsx test/support/start-citus.ts <folder> <port>

const [folder, port] = process.argv.slice(2)
if (!folder || !port) throw new Error('usage: start-citus.ts <folder> <port of the coordinator>')
const first = Number(port)
const { url } = await startCitus(folder, [first, first + 1, first + 2])
console.log(`TEST_DATABASE_URL=${url}`)
process.exit(0)
