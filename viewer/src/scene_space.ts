// The picture of a model in space: z up, drawn by three.js. A bundle of its own, for pages that need it.

import {
  AmbientLight, ArrowHelper, BoxGeometry, BufferGeometry, CapsuleGeometry, Color, CylinderGeometry, DirectionalLight,
  DoubleSide, Float32BufferAttribute, FrontSide, GridHelper, Group, Line, LineBasicMaterial, LineDashedMaterial, Mesh,
  MeshStandardMaterial, type Object3D, PerspectiveCamera, PlaneGeometry, Quaternion, Scene, SRGBColorSpace, SphereGeometry, Vector3, WebGLRenderer,
} from "three";
import { OrbitControls } from "three/examples/jsm/controls/OrbitControls.js";
import { ConvexGeometry } from "three/examples/jsm/geometries/ConvexGeometry.js";
import type { Impact, Numbers3, Run, Shape } from "./data";
import { gapLine, overPlanes, type Over } from "./gaps";
import { outward, pose, type Frame } from "./place";
import { ARROWS, bounds, frameOf, Marks, type Options, type Picture } from "./scene";
import { Sight, view } from "./sight";
import { SolidShape, tone } from "./solid";
import { SweptLine } from "./swept";
import { colour, curveColour } from "./theme";

/** Shapes beyond which each is drawn with less detail. */
const MANY = 150;
/** The longest impulse, as a part of the reach of the scene. */
const LONGEST = 0.6;

class SpacePicture implements Picture {
  readonly canvas = document.createElement("canvas");
  private readonly renderer: WebGLRenderer;
  private readonly scene = new Scene();
  private readonly camera = new PerspectiveCamera(38, 1, 0.01, 100);
  private readonly controls: OrbitControls;
  private readonly frame: Frame;
  private readonly marks: Marks;
  private readonly objects: Object3D[] = [];
  /** Beside `objects`, where they are solids. */
  private readonly solids: SolidShape[] = [];
  /** Beside `objects`, where they are beams with a section. */
  private readonly beams: SweptLine[] = [];
  private readonly arrows: ArrowHelper[] = [];
  private readonly over: Over[];
  /** Gaps of the contacts of the scene, then of bodies over planes. */
  private readonly gaps: Line[] = [];
  private readonly reach: number;
  private readonly sight: Sight;
  private readonly toEye: Vector3;
  readonly note: string | undefined;
  /** The place the picture goes along with. */
  private readonly middleOf: (frame: Frame) => Numbers3;
  /** Whether somebody turned the picture. */
  private moved = false;

  constructor(
    private readonly run: Run,
    private readonly number: number,
    impacts: Impact[],
    private readonly options: Options,
    glow: () => number,
  ) {
    this.renderer = new WebGLRenderer({ canvas: this.canvas, antialias: true, alpha: true, preserveDrawingBuffer: true });
    this.renderer.setPixelRatio(Math.min(window.devicePixelRatio || 1, 2));
    this.frame = frameOf(run);
    this.marks = new Marks(run, impacts, glow);
    const shapes = run.scene!.shapes;

    // the room of everything that ends
    const room = (origin: (frame: Frame) => Numbers3) => bounds(this.frame, (frame) => {
      const [a, b, c] = origin(frame);
      return shapes.flatMap((shape) => {
        const r = radius(shape);
        const g = shape.geometry;
        if (r === undefined) return g.kind === "polyline" || g.kind === "solid" ? g.points.map((p) => frame.point(p)).map(([x, y, z]) => [x - a, y - b, z - c] as Numbers3) : [];
        const [x, y, z] = pose(shape.place, frame).position;
        return [[x - a - r, y - b - r, z - c - r], [x - a + r, y - b + r, z - c + r]] as Numbers3[];
      });
    });
    this.middleOf = middleOf(shapes, room);
    if (this.middleOf !== still) this.note = "The picture goes along with what moves: it goes far, and nothing stands still beside it.";
    const { low, high } = room(this.middleOf);
    const middle = new Vector3((low[0] + high[0]) / 2, (low[1] + high[1]) / 2, (low[2] + high[2]) / 2);
    this.reach = Math.max(Math.hypot(high[0] - low[0], high[1] - low[1], high[2] - low[2]) / 2, 1e-6);

    this.camera.up.set(0, 0, 1);
    this.camera.near = this.reach / 100;
    this.camera.far = this.reach * 100;
    this.sight = new Sight(run, this.frame, this.middleOf, this.tips(impacts));
    this.toEye = view(run, this.frame);
    this.controls = new OrbitControls(this.camera, this.canvas);
    // the page scrolls; a picture does not swallow the wheel
    this.controls.enableZoom = false;
    this.fit(1.4);
    this.controls.addEventListener("change", () => this.render());
    this.controls.addEventListener("start", () => (this.moved = true));
    this.canvas.addEventListener("wheel", (event) => {
      if (!event.ctrlKey && !event.metaKey) return;
      event.preventDefault();
      this.moved = true;
      this.camera.position.sub(this.controls.target).multiplyScalar(Math.exp(event.deltaY / 500)).add(this.controls.target);
      this.controls.update();
    }, { passive: false });

    this.scene.add(new AmbientLight(0xffffff, 1.6));
    const sun = new DirectionalLight(0xffffff, 2.2);
    sun.position.copy(middle).add(new Vector3(this.reach, -2 * this.reach, 4 * this.reach));
    sun.target.position.copy(middle);
    // shadows tell how high a body flies
    if (shapes.length <= MANY) {
      this.renderer.shadowMap.enabled = sun.castShadow = true;
      sun.shadow.mapSize.set(1024, 1024);
      const { camera } = sun.shadow;
      [camera.left, camera.right, camera.bottom, camera.top] = [-1.6, 1.6, -1.6, 1.6].map((x) => x * this.reach) as [number, number, number, number];
      [camera.near, camera.far] = [0.1 * this.reach, 10 * this.reach];
      sun.shadow.bias = -2e-3;
      sun.shadow.normalBias = 4e-3 * this.reach;
    }
    this.scene.add(sun, sun.target);
    for (const shape of shapes) {
      const object = this.object(shape);
      object.traverse((part) => {
        part.castShadow = shape.role === "body";
        part.receiveShadow = true;
      });
      this.objects.push(object);
      this.scene.add(object);
    }
    for (let i = 0; i < 2 * (run.scene!.contacts.length + (run.arrows ? ARROWS : 0)); i++) {
      const arrow = new ArrowHelper(new Vector3(0, 0, 1), new Vector3(), 1);
      // impulses act where bodies meet, out of sight: their arrows are drawn over everything
      for (const part of [arrow.line, arrow.cone]) {
        (part.material as LineBasicMaterial).depthTest = false;
        (part.material as LineBasicMaterial).transparent = true;
        part.renderOrder = 1;
      }
      this.arrows.push(arrow);
      this.scene.add(arrow);
    }
    this.over = overPlanes(run);
    for (let i = 0; i < run.scene!.contacts.length + this.over.length; i++) {
      const geometry = new BufferGeometry();
      geometry.setAttribute("position", new Float32BufferAttribute(new Float32Array(6), 3));
      const dash = 0.02 * this.reach;
      const line = new Line(geometry, new LineDashedMaterial({ dashSize: dash, gapSize: 0.7 * dash }));
      line.frustumCulled = false;
      this.gaps.push(line);
      this.scene.add(line);
    }
  }

  // ends of the arrows that are seen when the page is opened
  private tips(impacts: Impact[]): Numbers3[] {
    const hardest = impacts.reduce<Impact | undefined>((best, impact) => (best && best.p >= impact.p ? best : impact), undefined);
    if (!hardest) return [];
    this.frame.seek(hardest.t);
    const middle = this.middleOf(this.frame);
    return this.marks.at(hardest.t, this.frame).map(({ at, normal, impulse }) => at.map((x, k) => x - middle[k]! + Math.min(impulse, 1.5) * LONGEST * this.reach * normal[k]!) as Numbers3);
  }

  /** So near that all that moves stays in sight and fills the picture; whoever turned it keeps the view. */
  private fit(aspect: number) {
    if (this.moved) return;
    const { middle, away } = this.sight.from(this.toEye, (this.camera.fov * Math.PI) / 360, aspect);
    this.camera.position.copy(middle).addScaledVector(this.toEye, away);
    this.controls.target.copy(middle);
    this.controls.update();
  }

  resize() {
    const [w, h] = [this.canvas.clientWidth, this.canvas.clientHeight];
    if (w === 0 || h === 0) return;
    this.renderer.setSize(w, h, false);
    this.camera.aspect = w / h;
    this.fit(w / h);
    this.camera.updateProjectionMatrix();
    // a canvas of a new size is blank, and what prints it asks for its image before the next frame
    this.renderer.render(this.scene, this.camera);
  }

  draw(t: number) {
    const { frame, run } = this;
    frame.seek(t);
    const [x, y, z] = this.middleOf(frame);
    this.scene.position.set(-x, -y, -z);
    run.scene!.shapes.forEach((shape, i) => {
      const object = this.objects[i]!;
      if (shape.role === "axis") object.visible = this.options.axes;
      if (shape.geometry.kind === "solid") return this.solid(object as Mesh, this.solids[i]!);
      if (this.beams[i]) return this.beams[i]!.update(frame, this.options.beamField, () => this.options.mostBent(run, this.options.beamField));
      if (shape.geometry.kind === "polyline" || shape.geometry.kind === "spring") {
        const g = shape.geometry;
        const points = g.kind === "polyline" ? g.points : g.ends;
        const line = (object as Line).geometry.getAttribute("position");
        points.forEach((p, k) => line.setXYZ(k, ...frame.point(p)));
        line.needsUpdate = true;
        return;
      }
      const { position, rotation } = pose(shape.place, frame);
      object.position.set(...position);
      object.quaternion.set(rotation[1], rotation[2], rotation[3], rotation[0]);
    });
    const marks = this.marks.at(t, frame);
    const { impulses, friction, magnify } = this.options;
    const tones = [new Color(colour("--c6")), new Color(colour("--c4"))] as const;
    this.arrows.forEach((arrow, i) => {
      // an arrow of each mark for its normal impulse, one for friction
      const mark = marks[i >> 1];
      const rub = i % 2 === 1;
      arrow.visible = false;
      if (!mark || !(rub ? friction : impulses)) return;
      const length = Math.min((rub ? mark.friction : mark.impulse) * magnify, 1.5) * LONGEST * this.reach;
      arrow.visible = length > 0.01 * this.reach;
      if (!arrow.visible) return;
      arrow.position.set(...mark.at);
      arrow.setDirection(new Vector3(...(rub ? mark.tangent : mark.normal)));
      arrow.setLength(length, Math.min(0.3 * length, 0.12 * this.reach), Math.min(0.15 * length, 0.06 * this.reach));
      arrow.setColor(tones[rub ? 1 : 0]!);
    });
    const contacts = run.scene!.contacts.length;
    const ink = new Color(colour("--soft"));
    this.gaps.forEach((line, i) => {
      const mark = marks[i];
      const { from, to, gap } = i >= contacts ? gapLine(this.over[i - contacts]!, frame)
        : { from: mark!.at, to: mark!.at.map((x, k) => x - (mark!.gap ?? 0) * mark!.normal[k]!) as Numbers3, gap: mark!.gap ?? 0 };
      line.visible = this.options.gaps && gap > 0.01 * this.reach;
      if (!line.visible) return;
      const ends = line.geometry.getAttribute("position");
      ends.setXYZ(0, ...from);
      ends.setXYZ(1, ...to);
      ends.needsUpdate = true;
      line.computeLineDistances();
      (line.material as LineDashedMaterial).color.copy(ink);
    });
    this.colours();
    this.render();
  }

  end() {
    this.controls.dispose();
    this.renderer.dispose();
    this.renderer.forceContextLoss();
  }

  // once a frame, however often the time was set
  private waiting = false;
  private render() {
    if (this.waiting) return;
    this.waiting = true;
    requestAnimationFrame(() => {
      this.waiting = false;
      this.renderer.render(this.scene, this.camera);
    });
  }

  // the page may have gone from light to dark
  private tone = "";
  private colours() {
    if (this.tone === colour("--ink")) return;
    this.tone = colour("--ink");
    this.run.scene!.shapes.forEach((shape, i) => {
      // the colours of solids and bent beams are their values
      if (shape.geometry.kind === "solid" || this.beams[i]?.coloured) return;
      const own = shape.geometry.kind === "mesh" ? shape.geometry.colour : undefined;
      const tone = new Color(shape.role === "body" ? curveColour(this.number) : colour(shape.role === "axis" ? "--c6" : "--soft"));
      if (own) tone.setRGB(own[0] / 255, own[1] / 255, own[2] / 255, SRGBColorSpace);
      // neighbours are told apart by a little of hue and light
      if (shape.role === "body" && !own) tone.offsetHSL((((i * 0.37) % 1) - 0.5) * 0.1, 0, (((i * 0.61) % 1) - 0.5) * 0.14);
      this.objects[i]!.traverse((part) => {
        const material = (part as Mesh).material;
        if (material && !Array.isArray(material) && "color" in material) (material.color as Color).copy(tone);
      });
    });
  }

  // every triangle has corners of its own, so that it has its own colour
  private solid(object: Mesh, shape: SolidShape) {
    const { options, run } = this;
    shape.update(this.frame, options.deform, options.field);
    const most = options.most(run, options.field);
    const place = object.geometry.getAttribute("position");
    const shade = object.geometry.getAttribute("color");
    const mixed = new Color();
    shape.geometry.triangles.forEach((triangle, e) => {
      const [r, g, b] = tone(shape.values[e]! / most);
      mixed.setRGB(r / 255, g / 255, b / 255, SRGBColorSpace);
      triangle.forEach((i, k) => {
        place.setXYZ(3 * e + k, shape.places[3 * i]!, shape.places[3 * i + 1]!, shape.places[3 * i + 2]!);
        shade.setXYZ(3 * e + k, mixed.r, mixed.g, mixed.b);
      });
    });
    place.needsUpdate = shade.needsUpdate = true;
    object.geometry.computeVertexNormals();
  }

  private object(shape: Shape): Object3D {
    const g = shape.geometry;
    const material = new MeshStandardMaterial({ roughness: 0.65, metalness: 0.05, side: DoubleSide });
    switch (g.kind) {
      case "sphere":
        return this.run.scene!.shapes.length > MANY
          ? new Mesh(new SphereGeometry(g.radius, 14, 9), material)
          : striped(new Mesh(new SphereGeometry(g.radius, 32, 20), material), g.radius);
      case "box":
        return new Mesh(new BoxGeometry(...g.size), material);
      case "capsule":
        return new Mesh(new CapsuleGeometry(g.radius, g.length, 10, 24).rotateX(Math.PI / 2), material);
      case "cylinder":
        return new Mesh(new CylinderGeometry(g.radius, g.radius, g.length, 40).rotateX(Math.PI / 2), material);
      case "polygon":
        return new Mesh(new ConvexGeometry(g.points.flatMap(([x, y]) => [-0.05, 0.05].map((z) => new Vector3(x, y, z)))), material);
      case "mesh": {
        if (g.triangles.length === 0) return new Mesh(new ConvexGeometry(g.vertices.map((v) => new Vector3(...v))), material);
        const geometry = new BufferGeometry();
        geometry.setAttribute("position", new Float32BufferAttribute(g.vertices.flat(), 3));
        geometry.setIndex(g.triangles.flat());
        const flat = geometry.toNonIndexed();
        flat.computeVertexNormals();
        return new Mesh(flat, material);
      }
      case "plane": {
        const size = g.extent || 8 * this.reach;
        const group = new Group();
        const floor = new Mesh(new PlaneGeometry(size, size), material);
        material.transparent = true;
        material.opacity = 0.22;
        // a wall between the eye and the bodies is not drawn
        material.side = FrontSide;
        const grid = new GridHelper(size, 32).rotateX(Math.PI / 2);
        grid.material.transparent = true;
        grid.material.opacity = 0.35;
        const tilt = new Quaternion().setFromUnitVectors(new Vector3(0, 0, 1), new Vector3(...g.normal).normalize());
        for (const part of [floor, grid]) part.applyQuaternion(tilt);
        group.add(floor);
        // lines on what bodies may stand on
        const here = pose(shape.place, this.frame);
        if (outward(here, g.normal)[2] - here.position[2] > 0.7) group.add(grid);
        return group;
      }
      case "solid": {
        const geometry = new BufferGeometry();
        for (const name of ["position", "color"]) geometry.setAttribute(name, new Float32BufferAttribute(new Float32Array(9 * g.triangles.length), 3));
        material.vertexColors = true;
        const mesh = new Mesh(geometry, material);
        mesh.frustumCulled = false;
        this.solids[this.objects.length] = new SolidShape(g);
        return mesh;
      }
      case "polyline":
      case "spring": {
        if (g.kind === "polyline" && g.swept) {
          const beam = new SweptLine(g, g.swept);
          this.beams[this.objects.length] = beam;
          material.vertexColors = true;
          const mesh = new Mesh(beam.geometry, material);
          mesh.frustumCulled = false;
          return mesh;
        }
        const n = g.kind === "polyline" ? g.points.length : 2;
        const geometry = new BufferGeometry();
        geometry.setAttribute("position", new Float32BufferAttribute(new Float32Array(3 * n), 3));
        const line = new Line(geometry, new LineBasicMaterial());
        line.frustumCulled = false;
        return line;
      }
    }
  }
}

const still = (): Numbers3 => [0, 0, 0];

/** Where bodies are on an average, if they go ten times as far as they reach and nothing stands beside them; else the origin. */
function middleOf(shapes: Shape[], room: (origin: (frame: Frame) => Numbers3) => { low: Numbers3; high: Numbers3 }): (frame: Frame) => Numbers3 {
  if (shapes.length === 0 || shapes.some((shape) => shape.role === "obstacle")) return still;
  const mean = (frame: Frame): Numbers3 => {
    const places = shapes.map(({ geometry: g, place }) => (g.kind === "polyline" || g.kind === "solid" ? frame.point(g.points[0]!) : g.kind === "spring" ? frame.point(g.ends[0]) : pose(place, frame).position));
    return [0, 1, 2].map((k) => places.reduce((sum, at) => sum + at[k]!, 0) / places.length) as Numbers3;
  };
  const size = (origin: (frame: Frame) => Numbers3) => {
    const { low, high } = room(origin);
    return Math.hypot(...low.map((x, k) => high[k]! - x));
  };
  return size(still) > 10 * size(mean) ? mean : still;
}

function radius(shape: Shape): number | undefined {
  const g = shape.geometry;
  if (g.kind === "sphere") return g.radius;
  if (g.kind === "box") return Math.hypot(...g.size) / 2;
  if (g.kind === "capsule") return g.radius + g.length / 2;
  if (g.kind === "cylinder") return Math.hypot(g.radius, g.length / 2);
  if (g.kind === "mesh") return Math.max(...g.vertices.map((v) => Math.hypot(...v)));
  if (g.kind === "polygon") return Math.max(...g.points.map((p) => Math.hypot(...p)));
  return undefined;
}

// a turning ball shows that it turns
function striped(ball: Mesh, radius: number): Mesh {
  const band = new Mesh(new CylinderGeometry(radius * 1.002, radius * 1.002, radius * 0.12, 40, 1, true), new MeshStandardMaterial({ roughness: 0.8 }));
  band.onBeforeRender = () => {
    (band.material as MeshStandardMaterial).color.copy(((ball.material as MeshStandardMaterial).color)).multiplyScalar(0.55);
  };
  ball.add(band);
  return ball;
}

export type SpaceMaker = (run: Run, number: number, impacts: Impact[], options: Options, glow: () => number) => Picture;
(globalThis as { percussionSpace?: SpaceMaker }).percussionSpace = (...all) => new SpacePicture(...all);
