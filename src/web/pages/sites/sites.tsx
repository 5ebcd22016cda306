import { Empty } from '../../parts/states.tsx'

export default function Sites() {
  return <Empty />
}
