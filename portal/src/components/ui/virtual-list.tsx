import { useVirtualizer } from "@tanstack/react-virtual";
import { type ReactNode, useEffect, useLayoutEffect, useRef } from "react";
import { cn } from "@/lib/cn";

interface VirtualListProps {
  count: number;
  /** Height of a row in pixels; the same for all rows, so that 100,000 cost no more than a hundred. */
  rowHeight: number;
  children: (index: number) => ReactNode;
  label: string;
  /** Height of the visible part, in pixels. */
  height: number;
  className?: string;
  /** Follows the end until the user scrolls up. */
  follow?: boolean;
  onFollow?: (follow: boolean) => void;
  /** Brings a row into view. */
  scrollTo?: number | null;
}

const NEAR = 24; // px from the end that still count as the end

export function VirtualList(props: VirtualListProps) {
  const { count, rowHeight, follow = false, onFollow, scrollTo } = props;
  const scroller = useRef<HTMLDivElement>(null);
  const last = useRef(0);
  const virtual = useVirtualizer({
    count,
    getScrollElement: () => scroller.current,
    estimateSize: () => rowHeight,
    overscan: 20,
  });
  const height = virtual.getTotalSize();
  // biome-ignore lint/correctness/useExhaustiveDependencies: more height is what it follows
  useLayoutEffect(() => {
    const element = scroller.current;
    if (follow && element) element.scrollTop = last.current = element.scrollHeight - element.clientHeight;
  }, [follow, height]);
  useEffect(() => {
    if (scrollTo !== null && scrollTo !== undefined) virtual.scrollToIndex(scrollTo, { align: "center" });
  }, [scrollTo, virtual]);
  const onScroll = () => {
    const element = scroller.current;
    if (!element || !onFollow) return;
    const up = element.scrollTop < last.current - 1;
    last.current = element.scrollTop;
    const atEnd = element.scrollHeight - element.scrollTop - element.clientHeight < NEAR;
    if (follow && up && !atEnd) onFollow(false);
    else if (!follow && !up && atEnd) onFollow(true);
  };
  return (
    <section
      ref={scroller}
      aria-label={props.label}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by the keyboard
      tabIndex={0}
      onScroll={onScroll}
      style={{ height: props.height }}
      className={cn("overflow-auto", props.className)}
    >
      <div className="relative w-full" style={{ height }}>
        {virtual.getVirtualItems().map((item) => (
          <div
            key={item.key}
            className="absolute top-0 left-0 min-w-full"
            style={{ height: rowHeight, transform: `translateY(${item.start}px)` }}
          >
            {props.children(item.index)}
          </div>
        ))}
      </div>
    </section>
  );
}
