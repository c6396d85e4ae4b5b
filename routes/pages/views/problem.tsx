/** @jsxImportSource hono/jsx */
/** `/problems/:code`: what a problem's code means. */
import { type ProblemCode, PROBLEMS } from "../../http/problems.ts";
import type { Page } from "./layout.tsx";

/** The page of a problem. */
export function problemPage(code: ProblemCode): Page {
  const { status, title, explanation } = PROBLEMS[code];
  return {
    title,
    section: "api",
    body: (
      <>
        <p class="eyebrow">Problem · status {status}</p>
        <h1>{title}</h1>
        <p class="lead">{explanation}</p>
        <p>
          Its code is <code>{code}</code>. Responses of the API carry it in the members{" "}
          <code>code</code> and <code>type</code>.
        </p>
      </>
    ),
  };
}
