import { Empty } from '../../parts/states.tsx'

export default function Install() {
  return <Empty />
}
