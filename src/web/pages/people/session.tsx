import { Empty } from '../../parts/states.tsx'

export default function Session() {
  return <Empty />
}
