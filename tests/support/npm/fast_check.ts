// Named here and nowhere in the import map: whoever starts the service doesn't install it.
export { default } from "npm:fast-check@4.11.0";
