kernel void spill(global int *o, int n) { int a[64]; for (int i=0;i<64;i++) a[i]=i*n; int s=0; for (int i=0;i<n;i++) s+=a[(i*7)&63]; o[get_global_id(0)]=s; }
constant int table_[8]={1,2,3,4,5,6,7,8};
kernel void look(global int *o) { size_t i=get_global_id(0); o[i]=table_[i&7]; }
kernel void pix(read_only image2d_t im, global float4 *o) { o[0]=read_imagef(im,(int2)(0,0)); }
