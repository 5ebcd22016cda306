import { Empty } from '../../parts/states.tsx'

export default function Money() {
  return <Empty />
}
